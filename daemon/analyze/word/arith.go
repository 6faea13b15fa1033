package word

import (
	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// Arith evaluates an arithmetic expression to a number, or to class Name.
func Arith(sh Shell, x syntax.ArithmExpr) (access.Word, bool) {
	return access.Unknowable(access.Name, start(x), end(x)), false
}

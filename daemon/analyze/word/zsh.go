package word

import (
	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// zshParam expands ${…} the way of zsh.
func (e *expander) zshParam(p *syntax.ParamExp, quoted bool) {
	e.walk(p)
	e.unknown(access.Any, quoted, p)
}

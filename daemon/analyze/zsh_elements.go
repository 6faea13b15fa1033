package analyze

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// zshPlaces carries out an assignment to elements of an array or characters of a text,
// a[2]=x, a[-1]=x, a[2,3]=(x y) (zshparam(1), "Array Subscripts"). It is false where
// not all of it is known.
func (x *run) zshPlaces(st *state, as *syntax.Assign, old, v word.Value) bool {
	ksh := x.option(st, "ksharrays")
	if old.State == word.Unknown || old.Each != access.Known || ksh && old.List == nil || v.Map != nil {
		return false
	}
	first, last, ranged := as.Index, as.Index, false
	if b, ok := as.Index.(*syntax.BinaryArithm); ok && b.Op == syntax.Comma {
		first, last, ranged = b.X, b.Y, true
	}
	chars := old.List == nil && old.State == word.Set
	text, plain := old.Scalar.Lit()
	if chars && (!plain || as.Array != nil || as.Append || strings.Trim(text, printable) != "") {
		return false
	}
	n := len(old.List)
	if chars {
		n = len(text)
	}
	place := func(a syntax.ArithmExpr) (int, bool) {
		w, stop := word.Arith(&env{x: x, st: st}, a)
		lit, ok := w.Lit()
		i, err := strconv.Atoi(lit)
		if !ok || err != nil || stop || i > 1<<12 || i < -n {
			return 0, false
		}
		switch {
		case i < 0:
			i += n + 1
		case ksh:
			i++
		}
		return i, i > 0
	}
	from, ok := place(first)
	to, ok2 := place(last)
	if !ok || !ok2 {
		return false
	}
	to = max(to, from-1)
	if chars {
		from = min(from, n+1)
		lit, known := v.Scalar.Lit()
		if !known {
			return false
		}
		v := word.Value{State: word.Set, Scalar: access.Text(text[:from-1] + lit + text[min(to, n):]), Exported: old.Exported}
		return x.assign(st, as.Name.Value, v, v.Scalar) || true
	}
	var put []access.Word
	switch {
	case as.Array != nil:
		for i := range len(v.List) {
			put = append(put, v.List[i])
		}
		if as.Append {
			return false
		}
	case ranged && as.Append:
		return false
	default:
		put = []access.Word{appended(as, old.List[from-1], v.Scalar)}
	}
	var list []access.Word
	for i := range max(n, from-1) {
		list = append(list, old.List[i])
	}
	list = append(append(list[:from-1:from-1], put...), list[min(to, len(list)):]...)
	out := word.Value{State: word.Set, List: map[int]access.Word{}, Exported: old.Exported}
	for i, w := range list {
		out.List[i] = w
	}
	out.Scalar = out.List[0]
	return x.assign(st, as.Name.Value, out, v.Scalar) || true
}

// printable are the characters that are one byte each, whatever the locale.
var printable = func() string {
	var b strings.Builder
	for c := byte(' '); c < 0x7f; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

// zshUnset is unset 'a[…]': an element becomes empty, a key goes.
func zshUnset(v *word.Value, key string, i int, counted bool) bool {
	switch {
	case v.State != word.Set:
		return false
	case v.Map != nil:
		if strings.ContainsAny(key, "$`\\\"'(") {
			return false
		}
		m := copyMap(v.Map)
		delete(m, key)
		v.Map = m
		return true
	case v.List != nil && counted:
		list := map[int]access.Word{}
		for k, w := range v.List {
			list[k] = w
		}
		if _, ok := list[i-1]; ok {
			list[i-1] = access.Word{}
		}
		v.List, v.Scalar = list, list[0]
		return true
	}
	return false
}

package server

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze"
)

// declared reads a variable the way `declare -p` prints it, which is how a shell
// tells arrays: declare -ax NAME=([0]="a" [1]="b c"). What isn't a constant text
// is not understood and stays unknown.
func declared(name, text string) (analyze.Var, bool) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil || len(f.Stmts) != 1 {
		return analyze.Var{}, false
	}
	d, ok := f.Stmts[0].Cmd.(*syntax.DeclClause)
	if !ok {
		return analyze.Var{}, false
	}
	v := analyze.Var{Set: true}
	var flags string
	for _, a := range d.Args {
		switch {
		case a.Naked && a.Value != nil && a.Name == nil:
			lit, ok := constant(a.Value)
			if !ok {
				return analyze.Var{}, false
			}
			flags += lit
		case a.Name != nil && a.Name.Value == name && a.Array != nil:
			if !elements(&v, a.Array, strings.Contains(flags, "A")) {
				return analyze.Var{}, false
			}
		case a.Name != nil && a.Name.Value == name && a.Value != nil:
			if v.Value, ok = constant(a.Value); !ok {
				return analyze.Var{}, false
			}
		default:
			return analyze.Var{}, false
		}
	}
	v.Ref = strings.Contains(flags, "n")
	v.Exported = strings.Contains(flags, "x")
	return v, true
}

func elements(v *analyze.Var, array *syntax.ArrayExpr, assoc bool) bool {
	if assoc {
		v.Map = map[string]string{}
	} else {
		v.List = []string{}
	}
	for _, e := range array.Elems {
		if e.Value == nil {
			return false
		}
		value, ok := constant(e.Value)
		if !ok {
			return false
		}
		w, ok := e.Index.(*syntax.Word)
		if !ok {
			return false
		}
		key, ok := constant(w)
		if !ok {
			return false
		}
		if assoc {
			v.Map[key] = value
			continue
		}
		n, err := strconv.Atoi(key)
		if err != nil || n < 0 || n > 1<<16 {
			return false
		}
		for len(v.List) < n {
			return false // a list with holes can't be told as one
		}
		v.List = append(v.List, value)
	}
	return true
}

// constant is the text of a word of plain and quoted text, as declare -p quotes:
// "…" with backslashes, or $'…'.
func constant(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, false))
		case *syntax.SglQuoted:
			if !p.Dollar {
				b.WriteString(p.Value)
				continue
			}
			s, ok := ansi(p.Value)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescape(lit.Value, true))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape removes backslashes as bash does outside ($quoted false) or inside
// double quotes.
func unescape(s string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansi reads the $'…' that bash prints for control characters: letters and three
// octal digits (lib/sh/strtrans.c, ansic_quote).
func ansi(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i >= len(s) {
			return "", false
		}
		if j := strings.IndexByte(`abefnrtvE\'"?`, s[i]); j >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\x1b\\'\"?"[j])
			continue
		}
		if i+3 > len(s) {
			return "", false
		}
		n, err := strconv.ParseUint(s[i:i+3], 8, 8)
		if err != nil || n == 0 {
			return "", false
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String(), true
}

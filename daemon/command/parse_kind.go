package command

import (
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/lang"
)

// slot reads "<name:kind/w>", "[kind]..." and the like.
func (p *parser) slot(w string, col int) (slot, error) {
	var v slot
	w, v.many = strings.CutSuffix(w, "...")
	switch {
	case len(w) > 2 && w[0] == '<' && w[len(w)-1] == '>':
	case len(w) > 2 && w[0] == '[' && w[len(w)-1] == ']':
		v.opt = true
	default:
		return v, p.errorf(col, "%q is no value, write <kind> or [kind]", w)
	}
	inner := w[1 : len(w)-1]
	if s, ok := strings.CutSuffix(inner, "..."); ok {
		inner, v.many = s, true
	}
	text := inner
	if i := strings.IndexByte(inner, ':'); i >= 0 && !strings.Contains(inner[:i], "(") {
		v.name, text = inner[:i], inner[i+1:]
	}
	k, err := p.kind(text, col)
	if err != nil {
		return v, err
	}
	v.kind = k
	if v.name == "" {
		v.name, _, _ = strings.Cut(text, "(")
		v.name, _, _ = strings.Cut(v.name, "/")
	}
	switch k.base {
	case kCommand, kParallel, kRemote, kShArg, kXargs:
		v.many = true
	}
	return v, nil
}

// kind reads "file/w", "list(dir)", "kv(src=path, dst=path/w)".
func (p *parser) kind(text string, col int) (kind, error) {
	var k kind
	name, arg := text, ""
	if i := strings.IndexByte(text, '('); i >= 0 {
		j := strings.LastIndexByte(text, ')')
		if j < i {
			return k, p.errorf(col, "%q has no closing bracket", text)
		}
		name, arg = text[:i]+text[j+1:], text[i+1:j]
	}
	if s, mode, ok := strings.Cut(name, "/"); ok {
		name = s
		for _, c := range mode {
			switch c {
			case 'r':
				k.modes |= access.Kinds(access.Read)
			case 'w':
				k.modes |= access.Kinds(access.Write)
			case 'x':
				k.modes |= access.Kinds(access.Execute)
			default:
				return k, p.errorf(col, "%q is no mode, use /r, /w, /x or /rw", "/"+mode)
			}
		}
	}
	b, ok := baseNames[name]
	if !ok {
		return k, p.errorf(col, "%q is no kind, use %s", name, offer(name, sortedKeys(baseNames)))
	}
	k.base, k.arg = b, arg
	switch b {
	case kList, kAt, kNames:
		if arg == "" {
			arg = "file"
		}
		e, err := p.kind(arg, col)
		if err != nil {
			return k, err
		}
		if e.modes == 0 {
			e.modes = k.modes
		}
		k.elem = &e
	case kFile, kPath, kHostPath, kPathOrURL, kGuess, kFlags, kGoPackage:
		if arg == "" {
			break
		}
		e, err := p.kind(arg, col)
		if err != nil {
			return k, err
		}
		k.elem = &e
	case kKV, kSet:
		k.keys = map[string]kind{}
		for _, item := range splitOutside(arg) {
			key, val, ok := strings.Cut(strings.TrimSpace(item), "=")
			if !ok {
				return k, p.errorf(col, "%q has no kind, write %s(KEY=kind, …)", item, name)
			}
			e, err := p.kind(val, col)
			if err != nil {
				return k, err
			}
			k.keys[strings.ToLower(key)] = e
		}
	case kCode, kUntil:
		if arg == "" {
			return k, p.errorf(col, "%s needs an argument, as in code(sed) or command-until(;)", name)
		}
		if _, ok := lang.Lookup(arg); b == kCode && !ok {
			return k, p.errorf(col, "there is no reader for %q, use %s", arg, strings.Join(lang.Names(), ", "))
		}
	}
	return k, nil
}

// splitOutside splits at commas that stand in no bracket.
func splitOutside(s string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out, start = append(out, s[start:i]), i+1
			}
		}
	}
	return append(out, s[start:])
}

package lang

import (
	"extdir/daemon/access"
)

// readJq reads a jq program: import and include open modules. Everything else a
// program does stays in it (input and inputs read the operands).
func readJq(program access.Word, h Host) {
	p := &filter{source: newSource(program)}
	toks := p.tokens()
	for i := 0; i < len(toks); i++ {
		if toks[i].kind != 'i' || toks[i].text != "import" && toks[i].text != "include" || i+1 >= len(toks) || toks[i+1].kind != 's' {
			continue
		}
		name := toks[i+1].val
		// The metadata behind it may say where to search.
		for j := i + 2; j+2 < len(toks) && toks[j].text != ";" && j < i+64; j++ {
			if toks[j].text == "search" && toks[j+1].text == ":" {
				for k := j + 2; k < len(toks) && toks[k].text != "," && toks[k].text != "}"; k++ {
					if toks[k].kind == 's' {
						v := joinPath(constant(toks[k].val), constant(name))
						if toks[k].val.HasPrefix("~/") {
							v = tilde(v)
						}
						v.open(h, access.Read, toks[i].text+" in jq program", "jq")
					}
				}
			}
		}
		if name.HasPrefix("/") || name.HasPrefix(".") || name.HasPrefix("~") {
			h.File(bare(name), access.Read, toks[i].text+" in jq program")
		}
	}
}

// readYq reads an expression of yq (mikefarah's): load and its kin open files. A
// name that is computed is unknown.
func readYq(program access.Word, h Host) {
	p := &filter{source: newSource(program)}
	toks := p.tokens()
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].kind != 'i' || toks[i+1].text != "(" {
			continue
		}
		switch toks[i].text {
		case "load", "load_str", "load_xml", "load_props", "load_base64", "strload":
			v := value{}
			for j, depth := i+2, 0; j < len(toks); j++ {
				t := toks[j]
				if t.text == "(" {
					depth++
				}
				if t.text == ")" {
					if depth--; depth < 0 {
						break
					}
				}
				if t.text == "+" {
					continue
				}
				part := computed
				if t.kind == 's' {
					part = constant(t.val)
				}
				if v.zero() {
					v = part
				} else {
					v = v.concat(part)
				}
			}
			v.open(h, access.Read, toks[i].text+" in yq expression", "yq")
		}
	}
}

// filter is the tokens that jq and yq share.
type filter struct{ *source }

func (p *filter) tokens() []vimToken {
	var out []vimToken
	for i := 0; i < len(p.s); {
		c := p.s[i]
		switch {
		case c == '"':
			w := builder{p: p.source}
			j := i + 1
			for j < len(p.s) && p.s[j] != '"' {
				if p.s[j] == '\\' && j+1 < len(p.s) {
					if p.s[j+1] == '(' { // interpolation: unknown
						depth := 0
						for j++; j < len(p.s); j++ {
							if p.s[j] == '(' {
								depth++
							} else if p.s[j] == ')' {
								if depth--; depth == 0 {
									break
								}
							}
						}
						w.hole(access.Any)
						j++
						continue
					}
					j = unescape(&w, p.s, j, "n\nt\tr\r")
					continue
				}
				w.copy(j)
				j++
			}
			j = min(j, len(p.s))
			w.span(i, j)
			out = append(out, vimToken{'s', "", w.word()})
			i = j + 1
		case c == '#':
			for i < len(p.s) && p.s[i] != '\n' {
				i++
			}
		case wordByte(c):
			j := i
			for j < len(p.s) && wordByte(p.s[j]) {
				j++
			}
			out = append(out, vimToken{'i', p.s[i:j], access.Word{}})
			i = j
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		default:
			out = append(out, vimToken{'o', p.s[i : i+1], access.Word{}})
			i++
		}
	}
	return out
}

package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readMake reads a makefile: recipes, $(shell …), != and include lines (GNU make
// manual, "Recipe Syntax", "Include", "The shell Function"). Variables aren't
// followed: a recipe keeps its $(NAME) as something unknown.
func readMake(w access.Word, h Host) {
	text, ok := w.Lit()
	if !ok {
		h.Unknown("makefile that is not in the line")
		return
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.SplitSeq(text, "\n") {
		makeShells(line, w, h)
		recipe, isRecipe := strings.CutPrefix(line, "\t")
		trimmed := strings.TrimSpace(line)
		for _, word := range []string{"include ", "-include ", "sinclude "} {
			if names, ok := strings.CutPrefix(trimmed, word); ok && !isRecipe {
				for name := range strings.FieldsSeq(names) {
					if strings.Contains(name, "$") {
						h.Unknown("include of a makefile that is computed")
						continue
					}
					include(h, spannedText(name, w), "include of a makefile")
				}
				trimmed = ""
			}
		}
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if !isRecipe {
			if _, cmd, ok := strings.Cut(trimmed, "!="); ok {
				recipe, isRecipe = cmd, true
			} else if colon := strings.IndexByte(trimmed, ':'); colon >= 0 {
				_, recipe, isRecipe = strings.Cut(trimmed[colon:], ";") // target: ; recipe
			}
		}
		if isRecipe {
			makeRecipe(strings.TrimLeft(recipe, " \t@-+"), w, h)
		}
	}
}

// makeRecipe hands a recipe to the shell: $$ is $, what make puts in is unknown.
func makeRecipe(s string, w access.Word, h Host) {
	var out access.Word
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i < 0 || i+1 == len(s) {
			out = out.Concat(access.Text(s))
			break
		}
		if i > 0 {
			out = out.Concat(access.Text(s[:i]))
		}
		s = s[i+1:]
		if s[0] == '$' {
			out = out.Concat(access.Text("$"))
			s = s[1:]
			continue
		}
		out = out.Concat(access.Unknowable(access.Any, w.Start, w.End))
		if n := makeReference(s); n > 0 {
			s = s[n:]
		} else {
			s = s[1:]
		}
	}
	if len(out.Segs) > 0 {
		out.Start, out.End = w.Start, w.End
		h.Shell(out)
	}
}

// makeReference is the length of (…) or {…} at the beginning of s.
func makeReference(s string) int {
	if s == "" || s[0] != '(' && s[0] != '{' {
		return 0
	}
	open, shut, depth := s[0], byte(')'), 0
	if open == '{' {
		shut = '}'
	}
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// makeShells runs the $(shell …) of a line.
func makeShells(line string, w access.Word, h Host) {
	for rest := line; ; {
		i := strings.IndexByte(rest, '$')
		if i < 0 {
			return
		}
		rest = rest[i+1:]
		n := makeReference(rest)
		if n < 2 {
			continue
		}
		inner := strings.TrimSpace(strings.TrimRight(rest[1:n], ")}"))
		if strings.HasSuffix(rest[1:n-1], ")") || strings.HasSuffix(rest[1:n-1], "}") {
			inner = strings.TrimSpace(rest[1 : n-1])
		}
		if cmd, ok := strings.CutPrefix(inner, "shell "); ok {
			makeRecipe(strings.TrimSpace(cmd), w, h)
		}
	}
}

// readM4 reads the text of m4 for the files and commands its builtins name.
func readM4(w access.Word, h Host) {
	text, ok := w.Lit()
	if !ok {
		h.Unknown("m4 text that is not in the line")
		return
	}
	for _, name := range []string{"include", "sinclude", "undivert", "syscmd", "esyscmd"} {
		for rest := text; ; {
			i := strings.Index(rest, name+"(")
			if i < 0 {
				break
			}
			before := ""
			if i > 0 {
				before = rest[i-1 : i]
			}
			rest = rest[i+len(name)+1:]
			arg, _, _ := strings.Cut(rest, ")")
			arg = strings.Trim(strings.TrimSpace(arg), "`'")
			switch {
			case before != "" && isWordByte(before[0]):
			case strings.HasSuffix(name, "syscmd"):
				h.Shell(spannedText(arg, w))
			case name == "undivert" && strings.Trim(arg, "0123456789,- ") == "":
			default:
				include(h, spannedText(arg, w), "file that m4 includes")
			}
		}
	}
}

// readCInclude reads C text for the files it includes.
func readCInclude(w access.Word, h Host) {
	text, ok := w.Lit()
	if !ok {
		return // what a compiler includes by relative names lies in its folders
	}
	for line := range strings.SplitSeq(text, "\n") {
		s, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			continue
		}
		s = strings.TrimSpace(s)
		for _, word := range []string{"include_next", "include", "import", "embed"} {
			if rest, ok := strings.CutPrefix(s, word); ok {
				rest = strings.TrimSpace(rest)
				if len(rest) > 2 && (rest[0] == '"' || rest[0] == '<') {
					if end := strings.IndexAny(rest[1:], `">`); end > 0 {
						name := rest[1 : 1+end]
						if rest[0] == '"' || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "../") {
							h.File(spannedText(name, w), access.Read, "file that C text includes")
						}
					}
				}
				break
			}
		}
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// spannedText is a constant with the span of the text it stands in.
func spannedText(s string, w access.Word) access.Word {
	out := access.Text(s)
	out.Start, out.End = w.Start, w.End
	return out
}

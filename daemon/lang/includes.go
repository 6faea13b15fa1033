package lang

import (
	"strings"

	"extdir/daemon/access"
)

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

package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readAppleScript reads what osascript -e runs: do shell script, do script,
// files named by POSIX file, file and alias.
func readAppleScript(program access.Word, h Host) {
	p := &filter{source: newSource(program)}
	toks := p.tokens()
	word := func(i int) string {
		if i >= 0 && i < len(toks) && toks[i].kind == 'i' {
			return strings.ToLower(toks[i].text)
		}
		return ""
	}
	// text folds "a" & "b" from token i on.
	text := func(i int) value {
		v := value{}
		for ; i < len(toks); i++ {
			switch t := toks[i]; {
			case t.kind == 's':
				if v.zero() {
					v = constant(t.val)
				} else {
					v = v.concat(constant(t.val))
				}
			case t.text == "(" || t.text == "&":
				continue
			case t.kind == 'i' && i > 0 && toks[i-1].text == "&" || v.zero():
				if v.zero() {
					v = computed
				} else {
					v = v.concat(computed)
				}
			default:
				return v
			}
			if i+1 >= len(toks) || toks[i+1].text != "&" {
				return v
			}
		}
		return v
	}
	for i := range toks {
		switch {
		case word(i) == "do" && word(i+1) == "shell" && word(i+2) == "script":
			text(i+3).shell(h, "AppleScript")
		case word(i) == "do" && word(i+1) == "script":
			text(i+2).shell(h, "AppleScript")
		case word(i) == "posix" && word(i+1) == "file":
			text(i+2).open(h, access.Write, "POSIX file in AppleScript code", "AppleScript")
		case word(i) == "run" && word(i+1) == "script":
			h.Unknown("script that an AppleScript runs")
		case word(i) == "keystroke":
			h.Unknown("keys that an AppleScript types")
		case toks[i].kind == 's' && (word(i-1) == "file" && word(i-2) != "posix" || word(i-1) == "alias" || word(i-1) == "folder" || word(i-1) == "read") && pathLike(toks[i].val):
			h.File(toks[i].val, access.Read, word(i-1)+" in AppleScript code")
		}
		if i < len(toks) && toks[i].text == "\x00" {
			h.Unknown("AppleScript code that is not in the line")
		}
	}
}

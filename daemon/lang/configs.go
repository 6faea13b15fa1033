package lang

import (
	"strings"

	"extdir/daemon/access"
)

// Texts of files that aren't programs, but name files or commands line by line.

// eachLine hands the lines of a text to f, without the blanks around them.
func eachLine(w access.Word, f func(line access.Word, text string)) {
	p := newSource(w)
	for a := 0; a < len(p.s); {
		b := a + strings.IndexByte(p.s[a:], '\n')
		if b < a {
			b = len(p.s)
		}
		i, j := a, b
		for i < j && strings.IndexByte(" \t\r", p.s[i]) >= 0 {
			i++
		}
		for j > i && strings.IndexByte(" \t\r", p.s[j-1]) >= 0 {
			j--
		}
		if i < j {
			f(p.text(i, j), p.s[i:j])
		}
		a = b + 1
	}
}

// readSSHConfig reads a configuration file of ssh: ssh -F. Its lines are what
// ssh -o takes (ssh_config(5)).
func readSSHConfig(w access.Word, h Host) {
	eachLine(w, func(line access.Word, text string) {
		if text[0] != '#' {
			readSSHOption(line, h)
		}
	})
}

// readPatch reads a patch for the files it changes: the headers of unified and
// context diffs, and what git adds to them. How much of the names is stripped
// stands elsewhere, so a name counts as it is and, for the a/ and b/ of git,
// without its first part. A patch isn't a program: of one that isn't known nothing
// is said, since patch and git apply don't leave their folder (patch(1): "ignoring
// potentially dangerous file name").
func readPatch(w access.Word, h Host) {
	eachLine(w, func(line access.Word, text string) {
		for _, head := range []string{"--- ", "+++ ", "*** ", "Index: ", "rename to ", "rename from ", "copy to "} {
			name, ok := strings.CutPrefix(text, head)
			if !ok {
				continue
			}
			name, _, _ = strings.Cut(name, "\t")
			name = strings.Trim(name, `"`)
			if name == "" || name == "/dev/null" || strings.HasSuffix(name, " ****") {
				return
			}
			if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
				h.File(spannedText(name[2:], line), access.Write, "file that a patch changes")
				return
			}
			h.File(spannedText(name, line), access.Write, "file that a patch changes")
			return
		}
	})
}

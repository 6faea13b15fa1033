package daemon

import (
	"os"
	"os/exec"
	"regexp"
	"strings"

	"extdir/daemon/approval"
)

// Call is what a person types to reach the daemon of this place, as sentences
// and hints show it: by name where that finds this very program, else by its
// path, and with --dir where the place has one.
func (p Place) Call() string {
	exe := ""
	if own := binaries(); len(own) > 0 {
		exe = own[0]
	}
	return p.call(exe, exec.LookPath)
}

func (p Place) call(exe string, look func(string) (string, error)) string {
	const name = "extdird"
	call := name
	if found, err := look(name); exe != "" && (err != nil || !sameFile(found, exe)) {
		call = quote(exe)
	}
	if p.Dir != "" {
		call += " --dir " + quote(p.Dir)
	}
	return call
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote makes a name one word of a shell's line, safe to show.
func quote(name string) string {
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(approval.Escape(name), "'", `'\''`) + "'"
}

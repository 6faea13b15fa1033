package daemon

import (
	"fmt"
	"os"
	"path/filepath"

	"extdir/daemon/session"
)

// clientName is the client's binary, installed beside the daemon's.
const clientName = "extdir-hook"

// Programs are the absolute paths of the running extdird and of the client that
// is installed beside it.
func Programs() (extdird, hook string, err error) {
	own := binaries()
	if len(own) == 0 {
		return "", "", fmt.Errorf("can't find the extdird binary that is running")
	}
	if fi, err := os.Stat(own[1]); err != nil || !fi.Mode().IsRegular() || fi.Mode()&0o111 == 0 {
		return "", "", fmt.Errorf("%s is missing: install it beside extdird", own[1])
	}
	return own[0], own[1], nil
}

// binaries are our own two programs as they lie on disk.
func binaries() []string {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	return []string{exe, filepath.Join(filepath.Dir(exe), clientName)}
}

// program is the running daemon's own.
func program() session.File {
	if own := ownPrograms(); len(own) > 0 {
		return own[0]
	}
	return session.File{}
}

// ownPrograms identifies our programs by the file itself: of the processes that
// say they act for a person, only those that run these are believed.
func ownPrograms() []session.File {
	var own []session.File
	for _, path := range binaries() {
		if f := session.FileAt(path); f != (session.File{}) {
			own = append(own, f)
		}
	}
	return own
}

// Package integration drives the built binaries as their users do: real shells
// on real terminals, the real daemon, real kills.
package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// bin is the folder with the binaries under test.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "extdir-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	build := exec.Command("go", "build", "-o", dir+"/", "extdir/cmd/...")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the binaries under test:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// extdird is the path of the daemon under test.
func extdird() string { return filepath.Join(bin, "extdird") }

// needs skips a test whose tool is missing on a person's machine, and fails it in CI,
// where a missing tool would hide what it tests.
func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing: apt-get install %s", tool, tool)
			}
			t.Skipf("%s is missing: apt-get install %s", tool, tool)
		}
	}
}

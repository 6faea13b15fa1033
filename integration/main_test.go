// Package integration drives the built binaries as their users do: real shells
// on real terminals, the real daemon, real kills.
package integration

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"extdir/integration/term"
)

// bin is the folder with the binaries under test.
var bin string

func TestMain(m *testing.M) {
	if os.Getenv("EXTDIR_TEST_AGENT") != "" {
		agentOf(os.Args[1])
		return
	}
	if n := os.Getenv("EXTDIR_TEST_SHELLS"); n != "" {
		manyShells(n)
		return
	}
	if os.Getenv("EXTDIR_TEST_HOST") != "" {
		playHost(os.Args[1], os.Args[2], os.Args[3:])
		return
	}
	dir, err := os.MkdirTemp("", "extdir-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	build := exec.Command("go", "build", "-o", extdird(), "extdir/cmd/extdird")
	build.Stderr = os.Stderr
	if err := errors.Join(build.Run(), term.BuildHook(filepath.Join(dir, "extdir-hook"))); err != nil {
		fmt.Fprintln(os.Stderr, "building the binaries under test:", err)
		os.Exit(1)
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		f.Value.Set("6") // tests wait for terminals, not for processors
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

// agentOf is a program that calls shells, as coding agents do: each line of file is
// a command, its words separated by tabs, newlines in them written ⏎. It prints what
// became of each.
func agentOf(file string) {
	b, err := os.ReadFile(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		argv := strings.Split(strings.ReplaceAll(l, "⏎", "\n"), "\t")
		cmd := exec.Command(argv[0], argv[1:]...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Run()
		refused := ""
		if strings.Contains(errs.String(), "extdir: blocked") {
			refused = " refused"
		}
		fmt.Printf("%q %d %s%s\n", argv[:len(argv)-1], cmd.ProcessState.ExitCode(), strings.TrimSpace(out.String()), refused)
	}
}

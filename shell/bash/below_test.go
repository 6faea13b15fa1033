package bash

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"extdir/integration/term"
)

// TestBelow: 65, a -c shell below a judged line asks nobody, unless something stands
// between that may have words of its own.
func TestBelow(t *testing.T) {
	d := term.NewDaemon(t)
	dir, _ := home(t, d, setup{})
	write(t, filepath.Join(dir, "Makefile"), "SHELL := "+term.Need(t, "bash", "bash")+"\nall:\n\t@eval \"$$T\"; true\n")
	write(t, filepath.Join(dir, "script"), "bash -c \"$T\"; true\n")
	write(t, filepath.Join(dir, "agent"), "system('bash', '-c', $ENV{T});\n")
	if err := os.Symlink(term.Need(t, "perl", "perl"), filepath.Join(dir, "claude")); err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		line string
		asks int // connections beside that of the line
	}{
		{`bash -c "$T"; true`, 0},
		{`sh -c 'bash -c "$T"; true'; true`, 0},
		{`bash -c 'bash -c "$T"; true'; true`, 0},
		{`env A=b timeout 9 nice bash -c "$T"; true`, 0},
		{`make -s; true`, 0},
		{`make -s`, 0},
		{`sh script; true`, 0},
		{`find agent -exec bash -c "$T" \;; true`, 0},
		{`git -c alias.x='!bash -c "$T"' x; true`, 0},
		// It is the process that judged its line; what stands above it decides.
		{`exec bash -c "$T"`, 1},
		{`perl agent; true`, 1},
		{`exec perl agent`, 1},
		{`./claude agent; true`, 1},
		// The variable must name a shell that stands above.
		{`EXTDIR_BELOW= bash -c "$T"; true`, 1},
		{`EXTDIR_BELOW=1 bash -c "$T"; true`, 1},
		{`EXTDIR_BELOW=-1 bash -c "$T"; true`, 1},
		{`EXTDIR_BELOW='x[$(touch f)]' bash -c "$T"; true`, 1},
		{`sleep 9 & EXTDIR_BELOW=$! bash -c "$T"; kill $!`, 1},
		{`IFS=0123456789/ bash -c "$T"; true`, 0},
	} {
		t.Run(k.line, func(t *testing.T) {
			d.Forget()
			cmd := exec.Command("bash", "-c", k.line)
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "T=touch f; : seen", "EXTDIR_SESSION=1", "BASH_ENV=" + dir + "/.env.bash"}
			out, err := cmd.CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%v, %q", err, out)
			}
			if os.Remove(filepath.Join(dir, "f")) != nil {
				t.Error("the text of the shell below didn't run")
			}
			if have := d.Checked(); len(have) != 1+k.asks || have[0] != k.line {
				t.Errorf("asked about %q", have)
			}
		})
	}
	t.Run("what is between may be refused", func(t *testing.T) {
		cmd := exec.Command("bash", "-c", "./claude agent; true")
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "T=touch f; : BLOCK", "EXTDIR_SESSION=1", "BASH_ENV=" + dir + "/.env.bash"}
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "extdir: blocked: ") || os.Remove(filepath.Join(dir, "f")) == nil {
			t.Errorf("%q", out)
		}
	})
}

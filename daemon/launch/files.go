package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"extdir/shell/bash"
	"extdir/shell/zsh"
)

// files is the directory of the start files of one run. It lies beside the
// daemon's socket, in a directory that is the user's alone and that no line of an
// agent may write to.
//
// What reaches a shell how:
//
//	bash, the anchor            --rcfile rc.bash, which reads ~/.bashrc too
//	bash -c below it            BASH_ENV
//	bash -i below it            PS0 and EXTDIR_LOAD (shell/bash/README.md, nested shells)
//	zsh, any                    ZDOTDIR, whose files read the user's own
type files string

func (f files) rc() string    { return filepath.Join(string(f), "rc.bash") }
func (f files) guard() string { return filepath.Join(string(f), "guard.bash") }
func (f files) env() string   { return filepath.Join(string(f), "env.bash") }
func (f files) remove()       { os.RemoveAll(string(f)) }

func writeFiles(o Options) (files, error) {
	sweep(filepath.Dir(o.Socket))
	dir, err := os.MkdirTemp(filepath.Dir(o.Socket), fmt.Sprintf("start-%d-", os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("can't make the start files: %w", err)
	}
	f := files(dir)
	b, z := o.params(f)
	texts := map[string]string{
		f.guard(): bash.Script(b),
		f.env():   bash.Env(b),
		f.rc():    bashStart(f),
	}
	for _, name := range []string{".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"} {
		texts[filepath.Join(dir, name)] = zshStart(name, dir, z)
	}
	for path, text := range texts {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			f.remove()
			return "", fmt.Errorf("can't make the start files: %w", err)
		}
	}
	return f, nil
}

// sweep removes the start files of runs that were killed.
func sweep(run string) {
	dirs, _ := filepath.Glob(filepath.Join(run, "start-*-*"))
	for _, dir := range dirs {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), "start-"), "-")
		if pid, err := strconv.Atoi(number); err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			os.RemoveAll(dir)
		}
	}
}

// bashStart is read in place of ~/.bashrc. The guard is loaded first, so that it
// is this run's even if the user's own file loads one, and once more afterwards,
// which only puts it back where the user's file moved it.
func bashStart(f files) string {
	load := ". " + quote(f.guard()) + "\n"
	return load + "if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi\n" + load
}

// zshStart is one start file in ZDOTDIR. The user's own file of that name is read
// with the user's own ZDOTDIR, which .zshenv may set; afterwards ZDOTDIR is ours
// again, for the next start file and for the zsh that are started below.
func zshStart(name, dir string, z zsh.Params) string {
	var b strings.Builder
	switch name {
	case ".zshenv":
		b.WriteString(zsh.Env(z))
	case ".zshrc":
		b.WriteString(zsh.Script(z))
	}
	b.WriteString(`if (( ${+EXTDIR_ZDOTDIR} )); then ZDOTDIR="$EXTDIR_ZDOTDIR"; else unset ZDOTDIR; fi
if [[ -r "${ZDOTDIR-$HOME}/` + name + `" ]]; then source "${ZDOTDIR-$HOME}/` + name + `"; fi
if (( ${+ZDOTDIR} )); then export EXTDIR_ZDOTDIR="$ZDOTDIR"; else unset EXTDIR_ZDOTDIR; fi
export ZDOTDIR=` + quote(dir) + "\n")
	if name == ".zshrc" {
		b.WriteString(zsh.Script(z))
	}
	return b.String()
}

// environ is the environment of the anchor.
func (f files) environ(env []string, o Options) []string {
	out := make([]string, 0, len(env)+8)
	var oldEnv, oldDot string
	hadDot := false
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "BASH_ENV":
			oldEnv = v
		case "ZDOTDIR":
			oldDot, hadDot = v, true
		case "EXTDIR_SESSION", "EXTDIR_LOAD", "EXTDIR_BASH_ENV", "EXTDIR_ZDOTDIR", "EXTDIR_LINE", "PS0",
			"EXTDIR_SOCKET", "EXTDIR_CONFIG", "EXTDIR_STATE":
			// of a run above this one
			if k == "EXTDIR_ZDOTDIR" {
				oldDot, hadDot = v, true
			}
		default:
			out = append(out, kv)
		}
	}
	if strings.Contains(oldEnv, "/start-") {
		oldEnv = ""
	}
	set := bash.Environ(f.env(), oldEnv)
	set = append(set, "EXTDIR_SESSION=1", "EXTDIR_LOAD=. "+quote(f.guard()), "PS0="+bash.PS0(), "ZDOTDIR="+string(f))
	if o.Config != "" {
		set = append(set, "EXTDIR_SOCKET="+o.Socket, "EXTDIR_CONFIG="+o.Config, "EXTDIR_STATE="+o.State)
	}
	if hadDot && !strings.Contains(oldDot, "/start-") {
		set = append(set, "EXTDIR_ZDOTDIR="+oldDot)
	}
	return append(out, set...)
}

// quote makes one shell word of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

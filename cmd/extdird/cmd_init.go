package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"extdir/daemon"
	"extdir/daemon/config"
	"extdir/shell/bash"
	"extdir/shell/zsh"
)

func (a *app) initCmd() *cobra.Command {
	var via string
	var env bool
	cmd := &cobra.Command{
		Use:   "init bash|zsh",
		Short: "Print the integration of a shell, for its start file",
		Long: `Print the integration of a shell. The last line of ~/.bashrc or ~/.zshrc
evaluates it:

  ` + startLine("extdird", "bash", "") + `
  ` + startLine("extdird", "zsh", "") + `

and, so that the -c shells of agents are judged as well, a line of ~/.zshenv:

  ` + zshenvLine("extdird") + `

bash needs no second line. On a terminal the lines are printed instead.`,
		Example:   "  eval \"$(extdird init bash)\"\n  extdird init bash --via debug",
		Args:      oneOf,
		ValidArgs: []string{"bash", "zsh"},
		RunE: func(cmd *cobra.Command, args []string) error {
			shell := args[0]
			switch {
			case shell == "zsh" && via != "":
				return errors.New("--via is for bash; zsh has one way")
			case via != "" && via != "ps0" && via != "debug":
				return fmt.Errorf("--via is ps0 or debug, not %q", via)
			}
			if term.IsTerminal(int(a.out.Fd())) {
				_, err := a.out.WriteString(initLines(a.call(), shell, via))
				return err
			}
			p, err := a.integration()
			if err != nil {
				return err
			}
			p.Via = via
			var text string
			z := zsh.Params{
				Hook: p.Hook, Extdird: p.Extdird, Socket: p.Socket, Dir: p.Dir,
				Config: p.Config, State: p.State, Keep: p.Keep, Fail: p.Fail,
			}
			switch {
			case shell == "zsh" && env:
				text = zsh.Env(z)
			case shell == "zsh":
				text = zsh.Script(z)
			case env:
				text = bash.Env(p)
			default:
				if err := writeEnv(p); err != nil {
					return err
				}
				text = bash.Script(p)
			}
			_, err = a.out.WriteString(text)
			return err
		},
	}
	cmd.Flags().StringVar(&via, "via", "", "bash: the way in, ps0 or debug (default: what the bash can do)")
	cmd.Flags().BoolVar(&env, "env", false, "print the part for -c shells (~/.zshenv, BASH_ENV)")
	return cmd
}

// The lines are tests of variables and nothing else where there is nothing to
// guard, so that logins, scp and scripts neither wait for a program nor depend on
// one. sshd's bash -c reads ~/.bashrc as well.

func startLine(self, shell, via string) string {
	if via != "" {
		via = " --via " + via
	}
	if shell == "bash" {
		return `if [[ $- == *i* || -n ${EXTDIR_SESSION-} ]]; then eval "$(` + self + ` init bash` + via + `)"; fi`
	}
	return `eval "$(` + self + ` init zsh)"`
}

func zshenvLine(self string) string {
	return `if [[ -n ${EXTDIR_SESSION-} && -n ${ZSH_EXECUTION_STRING-} ]]; then eval "$(` + self + ` init zsh --env)"; fi`
}

// initLines tells a person what to put where.
func initLines(self, shell, via string) string {
	lines := "# as the last line of ~/." + shell + "rc:\n" + startLine(self, shell, via) + "\n"
	if shell == "zsh" {
		lines += "# in ~/.zshenv, for the -c shells of agents:\n" + zshenvLine(self) + "\n"
	}
	return lines
}

// integration collects what the scripts hold in readonly variables.
func (a *app) integration() (bash.Params, error) {
	place, err := a.place()
	if err != nil {
		return bash.Params{}, err
	}
	exe, hook, err := daemon.Programs()
	if err != nil {
		return bash.Params{}, err
	}
	p := bash.Params{
		Hook: hook, Extdird: exe, Socket: place.Socket, Dir: place.Dir,
		Env: filepath.Join(place.State, "bash-env"),
	}
	if place.Dir == "" {
		p.Config, p.State = place.Config, place.State
	}
	// What rules may name (config.Options).
	for _, name := range []string{"HOME", "TMPDIR"} {
		if v := os.Getenv(name); v != "" {
			p.Keep = append(p.Keep, name+"="+v)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		if _, err := os.Stat(place.Config); err == nil {
			// A broken file loosens nothing.
			if conf, problems := config.Load(config.Options{File: place.Config, Home: home}); len(problems) == 0 && conf.Settings().Fail == "open" {
				p.Fail = "open"
			}
		}
	}
	return p, nil
}

// writeEnv writes the file that BASH_ENV names, if it isn't there as it should be.
// It is replaced in one step: a shell may be reading it.
func writeEnv(p bash.Params) error {
	text := []byte(bash.Env(p))
	if old, err := os.ReadFile(p.Env); err == nil && bytes.Equal(old, text) {
		return nil
	}
	dir := filepath.Dir(p.Env)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("can't write the file for -c shells: %w", err)
	}
	f, err := os.CreateTemp(dir, ".bash-env-")
	if err != nil {
		return fmt.Errorf("can't write the file for -c shells: %w", err)
	}
	defer os.Remove(f.Name())
	_, werr := f.Write(text)
	if err := errors.Join(werr, f.Close(), os.Rename(f.Name(), p.Env)); err != nil {
		return fmt.Errorf("can't write the file for -c shells: %s", strings.ReplaceAll(err.Error(), "\n", ": "))
	}
	return nil
}

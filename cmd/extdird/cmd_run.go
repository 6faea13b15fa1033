package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"extdir/daemon/config"
	"extdir/daemon/launch"
)

func (a *app) runCmd() *cobra.Command {
	var agent, shell string
	var roots []string
	cmd := &cobra.Command{
		Use:   "run [flags] [-- PROGRAM [ARGUMENT...]]",
		Short: "Start a guarded shell, or an agent's program, as a session of its own",
		Long: `Start a shell in which every line is judged before it runs, or an agent's
program whose shells are. The session's root is the project around this
directory, unless --root says otherwise. With --agent it is an agent's session:
questions are answered from another terminal (extdird pending, extdird approve).

The status is that of the shell or program.`,
		Example: `  extdird run
  extdird run --agent claude -- claude
  extdird run --agent tester --shell zsh --root ~/code/app --root ~/code/lib`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n != 0 && len(args) > 0 {
				return fmt.Errorf("put the program behind --: extdird run -- %s", args[0])
			}
			p, err := a.integration()
			if err != nil {
				return err
			}
			abs, err := absolute(roots)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				a.greet(agent)
			}
			status, err := launch.Run(launch.Options{
				Agent: agent, Roots: abs, Shell: shell, Command: args,
				Socket: p.Socket, Dir: p.Dir, Extdird: p.Extdird, Hook: p.Hook, Fail: p.Fail,
				Config: p.Config, State: p.State, Keep: p.Keep,
			})
			if err != nil {
				fmt.Fprintf(a.err, "extdird: %v\n", err)
				status = max(status, 1)
			}
			if status != 0 {
				return exitStatus(status)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "an agent drives the session; its `NAME` picks the agents section of the configuration")
	f.StringVar(&shell, "shell", "", "bash or zsh, by name or path (default: $SHELL)")
	f.StringArrayVar(&roots, "root", nil, "a `DIR` that counts as inside; may be given again")
	return cmd
}

// greet tells a person at a terminal that the shell which opens is a guarded one,
// and where its questions are answered.
func (a *app) greet(agent string) {
	if !term.IsTerminal(int(a.err.Fd())) || !term.IsTerminal(int(os.Stdin.Fd())) {
		return
	}
	if agent == "" {
		fmt.Fprintln(a.err, "extdir: this shell asks before a line leaves the project; exit ends it")
	} else {
		fmt.Fprintf(a.err, "extdir: this shell belongs to agent %s; its questions are answered in another terminal: %s\n", printable(agent), a.call("pending"))
	}
	if why := a.brokenConfig(); why != "" {
		fmt.Fprintf(a.err, "extdir: the configuration is not in force: %s (%s says what holds)\n", printable(why), a.call("status"))
	}
}

// brokenConfig says what is wrong with the user's file, or "".
func (a *app) brokenConfig() string {
	p, err := a.place()
	if err != nil {
		return ""
	}
	if _, err := os.Stat(p.Config); err != nil {
		return ""
	}
	home, _ := os.UserHomeDir()
	if _, problems := config.Load(config.Options{File: p.Config, Home: home}); len(problems) > 0 {
		return problems[0].Error()
	}
	return ""
}

// runChildCmd is the middle process of run: see package launch.
func (a *app) runChildCmd() *cobra.Command {
	return &cobra.Command{
		Use: launch.ChildCommand, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error { return launch.Child(args) },
	}
}

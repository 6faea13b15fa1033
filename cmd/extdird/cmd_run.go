package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
	"golang.org/x/term"

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
				a.greet(agent, p.Extdird)
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
func (a *app) greet(agent, exe string) {
	if !term.IsTerminal(int(a.err.Fd())) || !term.IsTerminal(int(os.Stdin.Fd())) {
		return
	}
	if agent == "" {
		fmt.Fprintln(a.err, "extdir: this shell asks before a line leaves the project; exit ends it")
		return
	}
	self := "extdird"
	if found, err := exec.LookPath("extdird"); err != nil || found != exe {
		self = exe
	}
	if a.dir != "" {
		self += " --dir " + a.dir
	}
	fmt.Fprintf(a.err, "extdir: this shell belongs to agent %s; its questions are answered in another terminal: %s pending\n", agent, self)
}

// runChildCmd is the middle process of run: see package launch.
func (a *app) runChildCmd() *cobra.Command {
	return &cobra.Command{
		Use: launch.ChildCommand, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error { return launch.Child(args) },
	}
}

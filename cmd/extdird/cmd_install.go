package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"extdir/hook/agent"
	"extdir/hook/wire"
	"extdir/shell/rc"
)

// installFlags are what install and uninstall take.
type installFlags struct {
	shells, agents []string
	yes, show      bool
}

func (a *app) installCmd() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Guard every shell and your agents (needs a person)",
		Long: `Put extdir into the start files of your shells and into the settings of your
agents, so that every new shell is guarded and the agents ask before they use their
own tools. Each change is shown first, and ` + "`extdird uninstall`" + ` takes it back byte for
byte. Without flags: the shells whose start files are there, and the agents that were
ever started here.`,
		Example: "  extdird install\n  extdird install --shell zsh --agent claude,codex\n  extdird install --print",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.install(f) },
	}
	a.installFlags(cmd, &f)
	return cmd
}

func (a *app) uninstallCmd() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take extdir out of start files and settings (needs a person)",
		Long: `Take extdir out of the start files of your shells and the settings of your agents.
A file that nobody changed since is as it was before, byte for byte. Shells that are
open stay guarded until they end.`,
		Example: "  extdird uninstall\n  extdird uninstall --agent claude",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.uninstall(f) },
	}
	a.installFlags(cmd, &f)
	return cmd
}

func (a *app) installFlags(cmd *cobra.Command, f *installFlags) {
	cmd.Flags().StringSliceVar(&f.shells, "shell", nil, "bash, zsh or none (default: those with a start file)")
	cmd.Flags().StringSliceVar(&f.agents, "agent", nil, strings.Join(agent.Names(), ", ")+" or none (default: those found)")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "don't ask")
	cmd.Flags().BoolVar(&f.show, "print", false, "show what would be done, and do nothing")
	for name, values := range map[string][]string{"shell": {"bash", "zsh", "none"}, "agent": append(agent.Names(), "none")} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

// parts are what the flags mean on this machine. all: whatever could be in place.
func (a *app) parts(f installFlags, all bool) ([]rc.Part, error) {
	p, err := a.integration()
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	self := quoteWord(p.Extdird)
	if p.Dir != "" {
		self += " --dir " + quoteWord(p.Dir)
	}
	zdot := os.Getenv("ZDOTDIR")
	if !filepath.IsAbs(zdot) {
		zdot = home
	}
	var parts []rc.Part
	for _, s := range []struct{ shell, file, line string }{
		{"bash", filepath.Join(home, ".bashrc"), startLine(self, "bash", "")},
		{"zsh", filepath.Join(zdot, ".zshrc"), startLine(self, "zsh", "")},
		{"zsh", filepath.Join(zdot, ".zshenv"), zshenvLine(self)},
	} {
		_, err := os.Stat(filepath.Join(filepath.Dir(s.file), "."+s.shell+"rc"))
		there := err == nil || filepath.Base(os.Getenv("SHELL")) == s.shell
		if slices.Contains(f.shells, s.shell) || f.shells == nil && (there || all) {
			parts = append(parts, rc.Shell(s.shell, s.file, s.line))
		}
	}
	for _, name := range agent.Names() {
		_, err := os.Stat(rc.AgentDir(name, home, config))
		if slices.Contains(f.agents, name) || f.agents == nil && (err == nil || all) {
			parts = append(parts, rc.Agent(name, home, config, p.Words()))
		}
	}
	for _, w := range f.shells {
		if w != "bash" && w != "zsh" && w != "none" {
			return nil, fmt.Errorf("--shell takes bash, zsh or none, not %q (fish isn't supported)", w)
		}
	}
	for _, w := range f.agents {
		if w != "none" && !slices.Contains(agent.Names(), w) {
			return nil, fmt.Errorf("--agent takes %s or none, not %q", strings.Join(agent.Names(), ", "), w)
		}
	}
	return parts, nil
}

func quoteWord(w string) string {
	if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

func (a *app) install(f installFlags) error {
	parts, err := a.parts(f, false)
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		return errors.New("neither a start file of bash or zsh nor an agent was found: say which with --shell and --agent")
	}
	kept, err := a.kept()
	if err != nil {
		return err
	}
	steps := rc.Plan(parts)
	changes := a.showSteps(steps, "is guarded already", "add by hand")
	if f.show || changes == 0 {
		return a.reduced(steps)
	}
	if err := a.agreed(f, "install", steps); err != nil {
		return err
	}
	for _, s := range steps {
		if err := kept.Do(s); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "done: new shells are guarded. %s shows what is, and which agents really called\n", a.call("status"))
	if slices.ContainsFunc(steps, func(s rc.Step) bool { return s.Name == "codex" && s.Change != nil }) {
		fmt.Fprintln(a.out, "codex runs the hook once you trust it: type /hooks in codex")
	}
	return a.reduced(steps)
}

func (a *app) uninstall(f installFlags) error {
	parts, err := a.parts(f, true)
	if err != nil {
		return err
	}
	kept, err := a.kept()
	if err != nil {
		return err
	}
	steps := kept.Leave(parts)
	changes := a.showSteps(steps, "", "take it out by hand")
	if changes == 0 {
		fmt.Fprintln(a.out, "nothing of extdir is in place")
		return a.reduced(steps)
	}
	if f.show {
		return nil
	}
	if err := a.agreed(f, "uninstall", steps); err != nil {
		return err
	}
	for _, s := range steps {
		if s.Why != "" {
			continue
		}
		if err := kept.Undo(s); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.out, "done; shells that are open stay guarded until they end")
	return a.reduced(steps)
}

func (a *app) kept() (*rc.Kept, error) {
	p, err := a.place()
	if err != nil {
		return nil, err
	}
	return rc.Open(p.State)
}

// showSteps prints what will be done and returns how many files will change.
func (a *app) showSteps(steps []rc.Step, done, byHand string) (changes int) {
	for _, s := range steps {
		switch {
		case s.Change != nil:
			changes++
			for line := range strings.Lines(s.Change.Diff()) {
				line = printable(strings.TrimSuffix(line, "\n"))
				switch line[:min(1, len(line))] {
				case "+":
					line = a.paint(green, line)
				case "-":
					line = a.paint(red, line)
				}
				fmt.Fprintln(a.out, line)
			}
		case s.Why != "":
			fmt.Fprintf(a.out, "%s %s: left alone; %s:\n", a.paint(yellow, s.Name+":"), printable(s.Why), byHand)
			for line := range strings.Lines(s.Text) {
				fmt.Fprintln(a.out, "    "+printable(strings.TrimSuffix(line, "\n")))
			}
		case done != "":
			fmt.Fprintf(a.out, "%s %s (%s)\n", s.Name, done, printable(s.File))
		}
	}
	return changes
}

// reduced is the status of a run that left files alone.
func (a *app) reduced(steps []rc.Step) error {
	if slices.ContainsFunc(steps, func(s rc.Step) bool { return s.Why != "" }) {
		return exitStatus(3)
	}
	return nil
}

// agreed asks whoever is at the terminal, and the daemon whether that is a person.
func (a *app) agreed(f installFlags, act string, steps []rc.Step) error {
	if !f.yes {
		if !term.IsTerminal(int(os.Stdin.Fd())) {
			return errors.New("nothing was changed: run it on a terminal, or with --yes once you have seen the changes")
		}
		fmt.Fprint(a.out, "change these files? [y/N] ")
		answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			return errors.New("nothing was changed")
		}
	}
	var files []string
	for _, s := range steps {
		if s.Change != nil {
			files = append(files, s.File)
		}
	}
	p, err := a.place()
	if err != nil {
		return err
	}
	c, err := wire.Dial(p.Socket, 5*time.Second)
	if errors.Is(err, wire.ErrNoDaemon) {
		if err := a.startDaemon(); err != nil {
			return err
		}
		c, err = wire.Dial(p.Socket, 5*time.Second)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := ask(c, "may", "act", act, "text", strings.Join(files, " ")); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	return nil
}

// startDaemon has the hook start it, as a shell would.
func (a *app) startDaemon() error {
	p, err := a.integration()
	if err != nil {
		return err
	}
	words := append(p.Words(), "hello", "shpid="+fmt.Sprint(os.Getpid()))
	return exec.Command(words[0], words[1:]...).Run()
}

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"extdir/daemon"
	"extdir/daemon/server"
	"extdir/hook/wire"
	"extdir/shell/rc"
)

func (a *app) statusCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether the daemon runs, what is in force and what is wrong",
		Long: `Show whether the daemon runs, where its files are, which configuration is in
force, and what makes the guard protect less than it says. The status is 0 if
all is well, 1 if the daemon doesn't run, 3 if protection is reduced.`,
		Example: "  extdird status\n  extdird status --json",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.status() },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) status() error {
	p, err := a.place()
	if err != nil {
		return err
	}
	c, err := wire.Dial(p.Socket, 5*time.Second)
	if errors.Is(err, wire.ErrNoDaemon) {
		if a.json {
			a.printJSON(map[string]any{"running": false, "files": server.Files{Socket: p.Socket, Config: p.Config, State: p.State, Log: p.Log}})
		} else {
			fmt.Fprintf(a.out, "extdird is not running; the next guarded line starts it\n  socket  %s\n  config  %s\n  state   %s\n", p.Socket, p.Config, p.State)
		}
		return exitStatus(1)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	var st server.Status
	if err := askJSON(c, &st, "status"); err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(st); err != nil {
			return err
		}
	} else {
		a.printStatus(st)
	}
	if len(st.Reduced) > 0 {
		return exitStatus(3)
	}
	return nil
}

func (a *app) printStatus(st server.Status) {
	fmt.Fprintf(a.out, "extdird %s runs as process %d since %s\n", st.Version, st.Pid, st.Since)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s\t%s\n", name, printable(value))
		}
	}
	row("socket", st.Files.Socket)
	config := st.Files.Config
	switch {
	case st.Config.Missing:
		config += " (there is none: the defaults hold)"
	case st.Config.Loaded != "":
		config += " (read " + st.Config.Loaded + ")"
		if st.Config.Problem != "" {
			config += "; what is there now is broken"
		}
	}
	row("config", config)
	row("", st.Config.Polling)
	if st.Specs != nil {
		row("specs", fmt.Sprintf("%s (%s in force)", st.Files.Specs, counted(len(st.Specs.Files), "file")))
		row("", st.Specs.Polling)
	}
	row("program", st.Program)
	row("state", st.Files.State)
	row("log", st.Files.Log)
	row("fail", st.Config.Fail)
	row("wait", st.Config.Wait)
	row("evidence", "tier "+st.Evidence)
	row("sessions", fmt.Sprint(st.Sessions))
	for _, g := range a.guarded(st) {
		row(g[0], g[1])
	}
	row("pending", fmt.Sprint(st.Pending))
	if st.Session != "" {
		row("you are in", "session "+st.Session)
	}
	w.Flush()
	if why := otherBuild(st); why != "" {
		fmt.Fprintf(a.out, "%s %s: %s ends it, and the next line starts the new one\n", a.paint(yellow, "note:"), printable(why), a.call("stop"))
	}
	for _, s := range st.Reduced {
		fmt.Fprintf(a.out, "%s %s\n", a.paint(red, "reduced:"), printable(s))
	}
}

// guarded tells what is in place in start files and settings, and which agents really
// called.
func (a *app) guarded(st server.Status) (rows [][2]string) {
	parts, err := a.parts(installFlags{}, true)
	if err != nil {
		return nil
	}
	var shells, seen []string
	for _, s := range rc.Plan(parts) {
		calls, called := st.Hosts[s.Name]
		isShell := s.Name == "bash" || s.Name == "zsh"
		switch {
		case isShell && s.Done && !slices.Contains(shells, s.Name):
			shells = append(shells, s.Name)
		case isShell:
		case called:
			rows = append(rows, [2]string{"agent", fmt.Sprintf("%s: its hook called %s, last %s", s.Name, counted(calls.Calls, "time"), calls.Last)})
		case s.Done:
			rows = append(rows, [2]string{"agent", s.Name + ": its hook has not called since the daemon started: start a new session of " + s.Name + trust(s.Name)})
		}
		seen = append(seen, s.Name)
	}
	for name, calls := range st.Hosts {
		if !slices.Contains(seen, name) {
			rows = append(rows, [2]string{"agent", fmt.Sprintf("%s: its hook called %s, last %s", name, counted(calls.Calls, "time"), calls.Last)})
		}
	}
	if len(shells) == 0 {
		shells = []string{"none by its start file (extdird install)"}
	}
	return append([][2]string{{"shells", strings.Join(shells, ", ")}}, rows...)
}

// trust is what a host wants besides before it runs a hook.
func trust(agent string) string {
	if agent == "codex" {
		return ", and trust the hook there (/hooks)"
	}
	return ""
}

// otherBuild says how the running daemon differs from this program. That is no
// trouble: the one guards as well as the other until it is restarted.
func otherBuild(st server.Status) string {
	own, _, _ := daemon.Programs()
	switch {
	case st.Version != buildVersion():
		return "the daemon is version " + st.Version + ", this extdird is " + buildVersion()
	case st.Replaced:
		return "the daemon was started from an earlier build of " + st.Program
	case st.Program != "" && own != "" && st.Program != own:
		return "the daemon was started from another extdird than this one (" + own + ")"
	}
	return ""
}

// Command extdird is the daemon of extdir and the command that controls it.
//
// Each command has a file of its own and does nothing but flags, output and a
// call: what happens is in package daemon and below.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"extdir/daemon"
)

// version is set by the release build (-ldflags -X main.version=…).
var version = ""

func main() { os.Exit(run()) }

// run is main for testscript, which needs the status.
func run() int {
	a := &app{out: os.Stdout, err: os.Stderr}
	root := a.root()
	err := root.Execute()
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(os.Stderr, "extdird: %v\n", err)
	return 1
}

// exitStatus ends the program with a status and no message.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// app is what the commands share.
type app struct {
	out, err *os.File
	dir      string // --dir
	json     bool   // --json, of commands that have it
}

func (a *app) place() (daemon.Place, error) { return daemon.FindPlace(a.dir) }

// call is how the person at this terminal reaches the same daemon, for hints.
func (a *app) call(words ...string) string {
	call := "extdird"
	if p, err := a.place(); err == nil {
		call = p.Call()
	}
	return strings.Join(append([]string{call}, words...), " ")
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "extdird",
		Short: "Ask before a shell's command line leaves the project directory",
		Long: `extdird judges command lines before a shell runs them: what stays in the
project runs, what touches files outside is allowed by rule, refused, or asked
of a person.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = buildVersion()
	root.SetVersionTemplate("extdird {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(a.helpCmd(root))
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().StringVar(&a.dir, "dir", "", "keep socket, configuration and state below `DIR` (tests, demos)")
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"sessions", "Guarded shells and agents:", []*cobra.Command{
			a.runCmd(), a.installCmd(), a.uninstallCmd(), a.initCmd(), a.sessionsCmd(), a.rootCmd(), a.guardCmd(), a.pauseCmd(),
		}},
		{"questions", "Questions and approvals:", []*cobra.Command{
			a.pendingCmd(), a.approveCmd(), a.denyCmd(), a.grantsCmd(),
		}},
		{"rules", "Rules and reasons:", []*cobra.Command{
			a.explainCmd(), a.whyCmd(), a.logCmd(), a.rulesCmd(), a.configCmd(), a.specCmd(),
		}},
		{"daemon", "The daemon:", []*cobra.Command{
			a.statusCmd(), a.serveCmd(), a.stopCmd(), a.pingCmd(), a.versionCmd(),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.runChildCmd())
	return root
}

// buildVersion is the release's version, or what Go knows of the build.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	rev, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			rev = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if rev != "" {
		return "devel-" + rev + dirty
	}
	return "devel"
}

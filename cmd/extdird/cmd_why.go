package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"extdir/daemon"
	"extdir/daemon/audit"
	"extdir/daemon/server"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

func (a *app) whyCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why [ID]",
		Short: "Show a logged decision in full",
		Long: `Show a logged decision in full: the one with that ID, or the last of this
terminal's session that was asked about or refused, or else the last.`,
		Example: "  extdird why\n  extdird why 7f3",
		Args:    a.takes(0, 1, "the ID of one decision", "log"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.place()
			if err != nil {
				return err
			}
			var e audit.Entry
			if len(args) == 1 {
				e, err = audit.Find(p.Audit, args[0], 0)
			} else {
				e, err = whoAsks(p).last(p.Audit)
			}
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(e)
			}
			a.printEntry(e)
			return nil
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// asker is where a command runs: the session that the daemon, if it runs, counts
// it to, and the terminal.
type asker struct{ session, tty string }

func whoAsks(p daemon.Place) (w asker) {
	if proc, err := session.System().Proc(os.Getpid()); err == nil {
		w.tty = session.System().TTYName(proc.TTY)
	}
	c, err := wire.Dial(p.Socket, time.Second)
	if err != nil {
		return w
	}
	defer c.Close()
	var st server.Status
	if askJSON(c, &st, "status") == nil {
		w.session = st.Session
	}
	return w
}

// here: the decision is about a line typed where the command runs.
func (w asker) here(e audit.Entry) bool {
	if w.session == "" {
		return w.tty != "" && e.TTY == w.tty
	}
	return e.Session == w.session && (w.tty == "" || e.TTY == "" || e.TTY == w.tty)
}

// last finds what somebody wants to know who asks why, without saying about
// what: the line that was stopped. In a guarded shell the newest decision is about
// the very line that asks.
func (w asker) last(log string) (audit.Entry, error) {
	own := true // nothing but the newest can be the line that asks
	list, err := audit.Last(log, 1, 0, func(e audit.Entry) bool {
		return e.Kind == "check" && w.here(e) && (e.Verdict != "allow" || e.Observed != "")
	})
	if err == nil && len(list) == 0 {
		list, err = audit.Last(log, 1, 0, func(e audit.Entry) bool {
			if e.Kind != "check" || own && w.here(e) && strings.Contains(e.Line, "why") {
				own = own && e.Kind != "check"
				return false
			}
			return true
		})
	}
	if err != nil {
		return audit.Entry{}, err
	}
	if len(list) == 0 {
		return audit.Entry{}, errors.New("no decision is logged yet")
	}
	return list[0], nil
}

func (a *app) printEntry(e audit.Entry) {
	row := func(name, value string) {
		if value == "" {
			return
		}
		for line := range strings.Lines(value) {
			fmt.Fprintf(a.out, "%s %s\n", a.paint(faint, fmt.Sprintf("%-8s", name)), printable(strings.TrimSuffix(line, "\n")))
			name = "" // the others stand below
		}
	}
	row("id", e.ID)
	row("time", e.Time.Local().Format(time.DateTime))
	row("kind", e.Kind)
	session := e.Session
	for _, s := range []string{e.Driver, e.Agent, e.TTY} {
		if s != "" {
			session += ", " + s
		}
	}
	row("session", session)
	row("in", e.Cwd)
	row("line", e.Line)
	verdict := e.Verdict
	if e.Observed != "" {
		verdict += " (only observed: it would be " + e.Observed + ")"
	}
	row("verdict", verdict)
	for _, f := range e.Findings {
		fmt.Fprintf(a.out, "  %s\n", a.loggedFinding(f))
	}
	for _, g := range e.Grants {
		row("grant", g)
	}
	row("said", e.Text)
	row("error", e.Error)
	if e.Took > 0 {
		row("took", e.Took.String())
	}
}

func (a *app) loggedFinding(f audit.Finding) string {
	name := f.Path
	switch {
	case f.Unknown && name == "":
		name = "unknown"
	case f.Typed != "":
		name = f.Typed + " → " + f.Path
	}
	s := fmt.Sprintf("%s %s %s by ", a.paint(verdictColour(f.Action), f.Action), f.Kind, printable(name))
	if f.Rule != "" {
		s += f.Gate + " rule " + printable(strconv.Quote(f.Rule)) + " (" + printable(f.Layer)
		if f.File != "" {
			s += ", " + printable(f.File) + ":" + strconv.Itoa(f.LineNo)
		}
		s += ")"
	} else {
		s += "the " + f.Gate + " gate's default"
	}
	if f.Why != "" {
		s += a.paint(faint, " ("+printable(f.Why)+")")
	}
	return s
}

func (a *app) logCmd() *cobra.Command {
	var n int
	var refused bool
	var session string
	cmd := &cobra.Command{
		Use:     "log",
		Short:   "Show the last decisions, the newest last",
		Example: "  extdird log -n 50\n  extdird log --refused\n  extdird log --session claude-4f2a --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if n <= 0 {
				return fmt.Errorf("-n %d: say how many, as in -n 20", n)
			}
			p, err := a.place()
			if err != nil {
				return err
			}
			list, err := audit.Last(p.Audit, n, 0, func(e audit.Entry) bool {
				return (session == "" || e.Session == session) && (!refused || e.Verdict == "block" || e.Verdict == "prompt")
			})
			if err != nil {
				return err
			}
			for i := len(list) - 1; i >= 0; i-- {
				e := list[i]
				if a.json {
					if err := a.printJSONLine(e); err != nil {
						return err
					}
					continue
				}
				verdict := e.Verdict
				if verdict == "" {
					verdict = e.Kind
				}
				fmt.Fprintf(a.out, "%s  %-8s  %s  %-12s  %s\n", e.Time.Local().Format(time.DateTime), e.ID,
					a.paint(verdictColour(verdict), fmt.Sprintf("%-7s", verdict)), orDash(e.Session), printable(what(e)))
			}
			return nil
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 20, "how many")
	cmd.Flags().BoolVar(&refused, "refused", false, "only what was refused or asked")
	cmd.Flags().StringVar(&session, "session", "", "only of this session `ID`")
	a.jsonFlag(cmd)
	return cmd
}

// what an entry is about: a line, or what a person did.
func what(e audit.Entry) string {
	if e.Line == "" {
		return e.Text
	}
	return e.Line
}

package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"extdir/daemon/server"
)

func (a *app) sessionsCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions",
		Short:   "List the guarded sessions",
		Example: "  extdird sessions\n  extdird sessions --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			var list []server.SessionInfo
			if err := a.list("sessions", &list); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(list)
			}
			if len(list) == 0 {
				fmt.Fprintln(a.out, "no session is guarded")
				return nil
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "SESSION\tDRIVER\tMODE\tTERMINAL\tPROCESS\tROOT")
			for _, s := range list {
				driver, mine := s.Driver, ""
				if s.Agent != "" {
					driver += " " + s.Agent
				}
				if s.Yours {
					mine = " (you)"
				}
				root := strings.Join(s.Roots, ", ")
				switch {
				case root == "" && s.Driver == "human":
					root = "the project of each line's directory"
				case root == "":
					root = "none"
				}
				fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\t%d\t%s\n", s.ID, mine, printable(driver), s.Mode, orDash(s.TTY), s.Pid, printable(root))
			}
			return w.Flush()
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// list asks the daemon for a list in JSON.
func (a *app) list(kind string, into any) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	return askJSON(c, into, kind)
}

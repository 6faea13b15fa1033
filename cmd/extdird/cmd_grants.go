package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"extdir/daemon/server"
)

func (a *app) grantsCmd() *cobra.Command {
	list := func(*cobra.Command, []string) error {
		var grants []server.GrantInfo
		if err := a.list("grants", &grants); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(grants)
		}
		a.printGrants(grants)
		return nil
	}
	cmd := &cobra.Command{
		Use:     "grants",
		Short:   "List or take back what was approved",
		Example: "  extdird grants\n  extdird grants list --json\n  extdird grants revoke g3f1",
		Args:    noArgs,
		RunE:    list,

		SuggestFor: []string{"revoke"},
	}
	ls := &cobra.Command{Use: "list", Short: "List the approvals that hold", Args: noArgs, RunE: list}
	a.jsonFlag(cmd)
	a.jsonFlag(ls)
	cmd.AddCommand(ls, &cobra.Command{
		Use:     "revoke ID...",
		Short:   "Take approvals back (needs a person)",
		Example: "  extdird grants revoke g3f1",
		Args:    a.takes(1, -1, "the ID of a grant", "grants"),
		RunE: func(_ *cobra.Command, ids []string) error {
			for _, id := range ids {
				if err := a.tell("revoke", "id", id); err != nil {
					return err
				}
				fmt.Fprintf(a.out, "grant %s is taken back\n", printable(id))
			}
			return nil
		},
	})
	return cmd
}

// tell sends a request that changes something.
func (a *app) tell(kind string, kv ...string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = ask(c, kind, kv...)
	return err
}

func (a *app) printGrants(grants []server.GrantInfo) {
	if len(grants) == 0 {
		fmt.Fprintln(a.out, "nothing is approved")
		return
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GRANT\tCOVERS\tLASTS\tSESSION\tGIVEN")
	for _, g := range grants {
		lasts := g.Scope
		if g.Expires != "" {
			lasts = "until " + g.Expires
		}
		if !g.Saved && g.Scope != "once" {
			lasts += " (not saved)"
		}
		given := g.Given
		if g.By != "" {
			given += " on " + g.By
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", g.ID, printable(strings.Join(covers(g), "; ")), lasts, orDash(g.Session), given)
	}
	w.Flush()
}

// covers says what a grant covers, one phrase each.
func covers(g server.GrantInfo) []string {
	var out []string
	for _, p := range g.Paths {
		s := p.Kinds + " " + p.Path
		if p.Tree {
			s += " and below"
		}
		out = append(out, s)
	}
	if g.Exact {
		out = append(out, "the line "+g.Line)
	}
	return out
}

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"extdir/daemon/server"
)

func (a *app) pendingCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pending",
		Short:   "List the questions that wait for a person",
		Example: "  extdird pending\n  extdird pending --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			var list []server.PendingInfo
			if err := a.list("pending", &list); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(list)
			}
			if len(list) == 0 {
				fmt.Fprintln(a.out, "nobody is waiting")
				return nil
			}
			for i, q := range list {
				if i > 0 {
					fmt.Fprintln(a.out)
				}
				state := "the shell waits"
				if q.Waiting == 0 {
					state = "the shell gave up; the answer holds for the same line run again"
				}
				fmt.Fprintf(a.out, "%s  %s\n", a.paint(bold, q.ID), a.paint(faint, state+", open until "+clock(q.Expires)))
				// The daemon escapes what it quotes; this is for a daemon that doesn't.
				for line := range strings.Lines(q.Question) {
					fmt.Fprintf(a.out, "  %s\n", printable(strings.TrimRight(line, "\n")))
				}
			}
			fmt.Fprintf(a.out, "\n%s · %s\n", a.call("approve "+list[0].ID), a.call("deny "+list[0].ID))
			return nil
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// clock shows a time of today in the local way.
func clock(utc string) string {
	t, err := time.Parse(time.RFC3339, utc)
	if err != nil {
		return utc
	}
	return t.Local().Format("15:04:05")
}

package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) guardCmd() *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "guard on|off|default",
		Short: "Switch the guard of one session (off needs a person)",
		Long: `Switch the guard of the session this command runs in, or of another one. On: its
lines are asked about, as an agent's are. Off: they are logged and nothing more,
unless an agent drives it. Default: what the configuration says.`,
		Example:   "  extdird guard on\n  extdird guard off --session sh-4f2a",
		Args:      oneOf,
		ValidArgs: []string{"on", "off", "default"},
		RunE: func(_ *cobra.Command, args []string) error {
			return a.tell("guard", "session", key, "to", args[0])
		},
	}
	cmd.Flags().StringVar(&key, "session", "", "of this session `ID` (extdird sessions)")
	return cmd
}

func (a *app) pauseCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "pause [TIME]",
		Short: "Let every line run unjudged for a while (needs a person)",
		Long: `Let every line of every session run unjudged, for 30 minutes or the time given
(at most 8h). The lines are logged, status says so, and the pause ends by itself.
A time of 0 ends it now.`,
		Example: "  extdird pause\n  extdird pause 10m\n  extdird pause 0",
		Args:    a.takes(0, 1, "one time, as in 30m", ""),
		RunE: func(_ *cobra.Command, args []string) error {
			d := 30 * time.Minute
			if len(args) == 1 {
				var err error
				if d, err = parseLasting(args[0]); err != nil || d > 0 && d < time.Second {
					return errLasting
				}
			}
			if err := a.tell("pause", "for", strconv.Itoa(int(d/time.Second))); err != nil {
				return err
			}
			if d == 0 {
				fmt.Fprintln(a.out, "lines are judged again")
				return nil
			}
			fmt.Fprintf(a.out, "lines run unjudged until %s\n", time.Now().Add(d).Format(time.TimeOnly))
			return nil
		},
	}
}

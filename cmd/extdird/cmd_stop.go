package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"extdir/hook/wire"
)

func (a *app) stopCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "stop",
		Short:   "Stop the daemon (needs a person)",
		Long:    "Stop the daemon. Guarded shells start it again with their next line.",
		Example: "  extdird stop",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.place()
			if err != nil {
				return err
			}
			c, err := wire.Dial(p.Socket, 5*time.Second)
			if errors.Is(err, wire.ErrNoDaemon) {
				fmt.Fprintln(a.out, "extdird: not running")
				return nil
			}
			if err != nil {
				return err
			}
			defer c.Close()
			_, err = ask(c, "stop")
			return err
		},
	}
}

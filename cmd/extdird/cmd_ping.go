package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"extdir/daemon"
	"extdir/hook/wire"
)

func (a *app) pingCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "ping",
		Short:   "Ask the daemon for a sign of life, starting it if it doesn't run",
		Example: "  extdird ping",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := a.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			begin := time.Now()
			rep, _, err := c.Ask(&wire.Request{Kind: "ping"})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "extdird %s answers in %v\n", rep.Arg, time.Since(begin).Round(time.Microsecond))
			return nil
		},
	}
}

// connect reaches the daemon, starting it if need be.
func (a *app) connect() (*wire.Conn, error) {
	p, err := a.place()
	if err != nil {
		return nil, err
	}
	c, err := daemon.Connect(p)
	if err != nil {
		return nil, err
	}
	c.SetTimeout(5 * time.Second)
	return c, nil
}

package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"extdir/daemon"
)

func (a *app) serveCmd() *cobra.Command {
	var socket, config, state string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon in the foreground",
		Long: `Run the daemon in the foreground until it gets SIGTERM or SIGINT, or a person
runs extdird stop. Nobody needs to call this: shells and commands start the
daemon when they need it. A second daemon says "already running" and ends with
status 0.`,
		Example: "  extdird serve\n  extdird serve --dir /tmp/demo",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.place()
			if socket != "" || config != "" || state != "" {
				p, err = daemon.PlaceOf(socket, config, state)
			}
			if err != nil {
				return err
			}
			syscall.Umask(0o077)
			if err := daemon.Harden(); err != nil {
				return err
			}
			err = daemon.Serve(cmd.Context(), daemon.Options{Place: p, Version: buildVersion()})
			if errors.Is(err, daemon.ErrRunning) {
				fmt.Fprintln(a.out, "extdird: already running")
				return nil
			}
			return err
		},
	}
	// For those who start it: the place as the session found it when it began.
	for _, f := range []struct {
		name, usage string
		value       *string
	}{
		{"socket", "the socket of the place", &socket},
		{"config-file", "the configuration of the place", &config},
		{"state-dir", "the state of the place", &state},
	} {
		cmd.Flags().StringVar(f.value, f.name, "", f.usage)
		cmd.Flags().MarkHidden(f.name)
	}
	return cmd
}

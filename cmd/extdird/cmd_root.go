package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"extdir/daemon/server"
)

func (a *app) rootCmd() *cobra.Command {
	var key string
	show := func(*cobra.Command, []string) error {
		var r server.RootInfo
		c, err := a.connect()
		if err != nil {
			return err
		}
		defer c.Close()
		cwd, err := physicalDir()
		if err != nil {
			return err
		}
		if err := askJSON(c, &r, "root", "session", key, "cwd", cwd); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(r)
		}
		if len(r.Roots) == 0 {
			fmt.Fprintln(a.out, "no root: everything is outside")
			return nil
		}
		for _, dir := range r.Roots {
			fmt.Fprintln(a.out, printable(dir))
		}
		return nil
	}
	cmd := &cobra.Command{
		Use:   "root",
		Short: "Show the directories that count as inside, or add one",
		Long: `Show the directories that count as inside: those of the session this command
runs in, else those a person's shell would have in this directory.`,
		Example: "  extdird root\n  extdird root add ../lib --session claude-4f2a",
		Args:    noArgs,
		RunE:    show,
	}
	a.jsonFlag(cmd)
	cmd.PersistentFlags().StringVar(&key, "session", "", "of this session `ID` (extdird sessions)")
	cmd.AddCommand(&cobra.Command{
		Use:     "add DIR",
		Short:   "Let a directory count as inside for the rest of a session (needs a person)",
		Example: "  extdird root add ../lib --session claude-4f2a",
		Args:    a.takes(1, 1, "one directory", ""),
		RunE: func(_ *cobra.Command, args []string) error {
			dirs, err := absolute(args)
			if err != nil {
				return err
			}
			if err := a.tell("root-add", "session", key, "dir", dirs[0]); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s counts as inside now\n", printable(dirs[0]))
			return nil
		},
	})
	return cmd
}

// absolute makes directories of the command line absolute.
func absolute(dirs []string) ([]string, error) {
	var out []string
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, abs)
	}
	return out, nil
}

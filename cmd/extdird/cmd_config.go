package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"extdir/daemon/config"
	"extdir/daemon/explain"
)

func (a *app) configCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Check the configuration file, or print its schema",
		Example: "  extdird config check\n  extdird config schema > extdir.schema.json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	check := &cobra.Command{
		Use:     "check [FILE]",
		Short:   "Say what is wrong with the configuration file, with line and column",
		Example: "  extdird config check\n  extdird config check new.json",
		Args:    a.takes(0, 1, "one file", ""),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.place()
			if err != nil {
				return err
			}
			file := p.Config
			if len(args) == 1 {
				file = args[0]
			}
			return a.checkConfig(file)
		},
	}
	a.jsonFlag(check)
	cmd.AddCommand(check,
		&cobra.Command{
			Use:     "schema",
			Short:   "Print the JSON Schema of the configuration file",
			Example: "  extdird config schema > extdir.schema.json",
			Args:    noArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := a.out.Write(config.Schema)
				return err
			},
		},
		&cobra.Command{
			Use:     "path",
			Short:   "Print where the configuration file is",
			Example: "  $EDITOR \"$(extdird config path)\"",
			Args:    noArgs,
			RunE: func(*cobra.Command, []string) error {
				p, err := a.place()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.out, p.Config)
				return err
			},
		})
	return cmd
}

func (a *app) checkConfig(file string) error {
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no %s: the defaults hold (extdird rules --defaults)", file)
	}
	home, _ := os.UserHomeDir()
	conf, problems := config.Load(config.Options{File: file, Home: home, TmpDir: os.Getenv("TMPDIR")})
	if len(problems) == 0 && !a.json {
		// Sound, but without effect: the file is in force all the same.
		for _, w := range conf.Warnings("", "") {
			fmt.Fprintf(a.out, "%s %s: %s\n", a.paint(yellow, "note:"), printable(explain.Where(w.Origin)), printable(w.Message))
		}
	}
	if a.json {
		if problems == nil {
			problems = []config.Problem{}
		}
		if err := a.printJSON(problems); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			fmt.Fprintln(a.out, printable(p.Error()))
		}
	}
	if len(problems) > 0 {
		return exitStatus(1)
	}
	if !a.json {
		fmt.Fprintf(a.out, "%s is in order\n", file)
	}
	return nil
}

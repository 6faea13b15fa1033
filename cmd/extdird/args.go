package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What is wrong with a command line is said in one sentence that tells what to
// write instead; cobra's own words speak of arguments and counts.

// noArgs: the command takes none. With subcommands, the word is a wrong one of
// them.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return unknownCommand(cmd, args[0])
	}
	return fmt.Errorf("%s takes nothing more: leave %q out", cmd.CommandPath(), args[0])
}

// takes: from few to many arguments (many < 0: any number). what says in words
// what the command wants; lister, if not empty, is the command that lists them.
func (a *app) takes(few, many int, what, lister string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		what := what
		if lister != "" {
			what += " (" + a.call(lister) + " lists them)"
		}
		switch {
		case len(args) < few:
			return fmt.Errorf("%s needs %s", cmd.CommandPath(), what)
		case many >= 0 && len(args) > many:
			return fmt.Errorf("%s takes %s and nothing more: leave %q out", cmd.CommandPath(), what, args[many])
		}
		return nil
	}
}

// oneOf: one argument, of the command's ValidArgs.
func oneOf(cmd *cobra.Command, args []string) error {
	n := len(cmd.ValidArgs) - 1
	choices := strings.Join(cmd.ValidArgs[:n], ", ") + " or " + cmd.ValidArgs[n]
	switch {
	case len(args) == 0:
		return fmt.Errorf("%s needs to know which: %s", cmd.CommandPath(), choices)
	case !slices.Contains(cmd.ValidArgs, args[0]):
		return fmt.Errorf("%s takes %s, not %q", cmd.CommandPath(), choices, args[0])
	case len(args) > 1:
		return fmt.Errorf("%s takes one of %s: leave %q out", cmd.CommandPath(), choices, args[1])
	}
	return nil
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var like []string
	for _, s := range suggestions(cmd, name) {
		like = append(like, cmd.CommandPath()+" "+s)
	}
	return fmt.Errorf("there is no command %q%s", cmd.CommandPath()+" "+name, didYouMean(like, cmd.CommandPath()+" --help lists the commands"))
}

func didYouMean(like []string, otherwise string) string {
	if len(like) == 0 {
		return ": " + otherwise
	}
	return ": did you mean " + strings.Join(like, " or ") + "?"
}

func suggestions(cmd *cobra.Command, name string) []string {
	cmd.SuggestionsMinimumDistance = 2
	return cmd.SuggestionsFor(name)
}

// nearest finds the names that a mistyped one may stand for, as cobra does it for
// commands.
func nearest(name string, among []string) []string {
	var c cobra.Command
	for _, n := range among {
		c.AddCommand(&cobra.Command{Use: n, Run: func(*cobra.Command, []string) {}})
	}
	return suggestions(&c, name)
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help lists the flags"
	var missing *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return fmt.Errorf("%s has no flag -%s: %s", cmd.CommandPath(), missing.GetSpecifiedName(), help)
	case errors.As(err, &missing):
		var names, like []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		for _, n := range nearest(missing.GetSpecifiedName(), names) {
			like = append(like, "--"+n)
		}
		return fmt.Errorf("%s has no flag --%s%s", cmd.CommandPath(), missing.GetSpecifiedName(), didYouMean(like, help))
	case errors.As(err, &empty):
		return fmt.Errorf("%s needs a value behind --%s: %s", cmd.CommandPath(), empty.GetFlag().Name, help)
	case errors.As(err, &wrong):
		return fmt.Errorf("--%s %s", wrong.GetFlag().Name, wrongValue(wrong))
	}
	return fmt.Errorf("%w: %s", err, help)
}

func wrongValue(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "int":
		return fmt.Sprintf("takes a number, as in --%s 20, not %q", e.GetFlag().Name, e.GetValue())
	case "bool":
		return fmt.Sprintf("takes no value: leave %q out", e.GetValue())
	}
	return fmt.Sprintf("%q: %v", e.GetValue(), e.Unwrap())
}

// helpCmd is cobra's help, but for topics that there are not: they are errors.
func (a *app) helpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || cmd == nil {
				cmd, rest = root, args
			}
			if len(rest) > 0 {
				return unknownCommand(cmd, rest[0])
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"extdir/daemon/command"
	"extdir/daemon/specs"
)

func (a *app) specCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "spec",
		Short: "Describe commands to extdir: check, explain, draft and list specs",
		Long: `A spec says what the words of a command are: which options take a value, and
what is a file. Your own stand in the folder specs beside the configuration
(extdird spec path) and count before the administrator's in ` + specs.Managed + `
and those that ship with extdir. Files are taken up as soon as they are saved.`,
		Example: `  extdird spec from-help deploy > "$(extdird spec path)/deploy.spec"
  extdird spec check
  extdird spec explain -- deploy -o /srv/www app.tgz`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.specCheckCmd(), a.specExplainCmd(), a.specFromHelpCmd(), a.specListCmd(), &cobra.Command{
		Use:     "path",
		Short:   "Print the folder of your own specs",
		Example: "  mkdir -p \"$(extdird spec path)\"",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.place()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, p.Specs)
			return err
		},
	})
	return cmd
}

// knowledge is what a daemon of this place would know; dir, if not empty, stands
// for the folder of the user's specs.
func (a *app) knowledge(dir string) (*specs.Set, error) {
	base, err := command.Builtin()
	if err != nil {
		return nil, err
	}
	o := specs.Options{User: dir, Managed: specs.Managed}
	if dir == "" {
		p, err := a.place()
		if err != nil {
			return nil, err
		}
		o.User = p.Specs
	} else if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil, fmt.Errorf("--specs %s is not a directory", dir)
	}
	return specs.Open(o, base), nil
}

// specsFlag names another folder of user specs.
func specsFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "specs", "", "read the user's specs from `DIR`")
	cmd.MarkFlagDirname("specs")
}

// warnSpecs says which files are left out.
func (a *app) warnSpecs(set *specs.Set) {
	for _, p := range set.Status().Problems {
		fmt.Fprintf(a.err, "extdird: %s\n", printable(p))
	}
}

func (a *app) specCheckCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Say what is wrong with spec files, and run their examples",
		Long: `Say what is wrong with spec files, with line and column, and run their try lines.
Without a file, all files of your folder are checked. Nothing is run but the
reading of the examples.`,
		Example: "  extdird spec check\n  extdird spec check deploy.spec",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"spec"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.specCheck(args) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// specMistake is a mistake in JSON.
type specMistake struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

func (a *app) specCheck(names []string) error {
	if len(names) == 0 {
		p, err := a.place()
		if err != nil {
			return err
		}
		if names, err = specs.Files(p.Specs); err != nil {
			return err
		}
		if len(names) == 0 {
			return fmt.Errorf("there is no spec in %s: name the file to check", p.Specs)
		}
	}
	base, err := command.Builtin()
	if err != nil {
		return err
	}
	managed := specs.Open(specs.Options{Managed: specs.Managed}, base)
	var files []command.File
	for _, n := range names {
		text, err := os.ReadFile(n)
		if err != nil {
			return fmt.Errorf("can't read the spec: %w", err)
		}
		files = append(files, command.File{Name: n, Text: string(text)})
	}
	table, wrong := managed.Table().Lay(files)
	tries, failed := table.Tries()
	if len(wrong) == len(files) {
		tries, failed = 0, nil // nothing of these files is in the table
	}
	wrong = append(wrong, failed...)
	if a.json {
		list := []specMistake{}
		for _, err := range wrong {
			m := specMistake{Message: err.Error()}
			var e *command.SpecError
			if errors.As(err, &e) {
				m = specMistake{e.File, e.Line, e.Col, e.What}
			}
			list = append(list, m)
		}
		if err := a.printJSON(list); err != nil {
			return err
		}
	} else {
		for _, err := range wrong {
			fmt.Fprintln(a.out, printable(err.Error()))
		}
	}
	if len(wrong) > 0 {
		return exitStatus(1)
	}
	if !a.json {
		verb := "is"
		if len(names) > 1 {
			verb = "are"
		}
		fmt.Fprintf(a.out, "%s %s in order (%s, %s)\n", printable(strings.Join(names, ", ")), verb, counted(len(table.Names()), "command"), counted(tries, "example"))
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (a *app) specExplainCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "explain -- COMMAND [WORD...]",
		Short: "Show what each word of a command is taken for, and which line says so",
		Long: `Show what each word of a command is taken for, the kind that its spec gives it,
and the file and line that say so; then what the command would touch outside its
folder, as a try line writes it: r:READ, w:WRITTEN, x:RUN, ? for what can't be
named. Nothing is run, and no file is looked at.`,
		Example: `  extdird spec explain -- tar -xf a.tgz -C /srv
  extdird spec explain --json -- sudo deploy -o /srv/www`,
		Args:              a.takes(1, -1, "the words of a command, behind --", ""),
		ValidArgsFunction: a.completeCommands,
		RunE:              func(_ *cobra.Command, args []string) error { return a.specExplain(dir, args) },
	}
	a.jsonFlag(cmd)
	specsFlag(cmd, &dir)
	return cmd
}

// explainedWord is a word with the layer that described it.
type explainedWord struct {
	command.Note
	Layer string `json:"layer"`
}

func (a *app) specExplain(dir string, words []string) error {
	set, err := a.knowledge(dir)
	if err != nil {
		return err
	}
	a.warnSpecs(set)
	reading := set.Table().Explain(words, runtime.GOOS)
	list := []explainedWord{}
	for _, n := range reading.Words {
		list = append(list, explainedWord{n, set.Layer(n.Place)})
	}
	if a.json {
		return a.printJSON(struct {
			Words   []explainedWord `json:"words"`
			Touches []string        `json:"touches"`
		}{list, reading.Touches})
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WORD\tIS\tKIND\tWHERE\tLAYER")
	for _, n := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", printable(n.Word), printable(n.Role), orDash(n.Kind), orDash(printable(n.Place)), n.Layer)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	touches := "nothing outside its folder"
	if len(reading.Touches) > 0 {
		touches = printable(strings.Join(reading.Touches, " "))
	}
	_, err = fmt.Fprintf(a.out, "%s %s\n", a.paint(bold, "touches"), touches)
	return err
}

func (a *app) specListCmd() *cobra.Command {
	var dir string
	var all bool
	cmd := &cobra.Command{
		Use:   "list [COMMAND...]",
		Short: "List which commands are described, and where",
		Long: `List the commands that your specs and the administrator's describe, or every place
that describes the commands named: the first counts alone, unless it extends the
next.`,
		Example:           "  extdird spec list\n  extdird spec list tar deploy",
		ValidArgsFunction: a.completeCommands,
		RunE: func(_ *cobra.Command, args []string) error {
			if all && len(args) > 0 {
				return fmt.Errorf("--all lists every command: leave %q out", args[0])
			}
			return a.specList(dir, all, args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "those that ship with extdir too")
	a.jsonFlag(cmd)
	specsFlag(cmd, &dir)
	return cmd
}

// describedAt is one description in JSON.
type describedAt struct {
	command.Described
	Layer string `json:"layer"`
	Used  bool   `json:"used"`
}

func (a *app) specList(dir string, all bool, names []string) error {
	set, err := a.knowledge(dir)
	if err != nil {
		return err
	}
	a.warnSpecs(set)
	named := len(names) > 0
	if !named {
		names = set.Names(all)
	}
	list := []describedAt{}
	for _, n := range names {
		used := true
		for _, d := range set.Table().Where(n) {
			list = append(list, describedAt{d, set.Layer(d.Place), used})
			used = used && d.Rest
			if !named && !all && !used {
				break
			}
		}
		if named && len(set.Table().Where(n)) == 0 && !a.json {
			fmt.Fprintf(a.err, "extdird: no spec describes %s: each word of it that may be a path outside is a guess\n", printable(n))
		}
	}
	if a.json {
		return a.printJSON(list)
	}
	if len(list) == 0 {
		if !named {
			fmt.Fprintln(a.out, "no spec but those that ship with extdir (extdird spec list --all)")
			return nil
		}
		return exitStatus(1)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COMMAND\tWHERE\tLAYER\t")
	for _, d := range list {
		what := ""
		switch {
		case d.Options:
			what = "for options that are named nowhere above"
		case !d.Used:
			what = "not used: the line above counts alone"
		case d.Rest:
			what = "extends the next"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable(d.Name), printable(d.Place), d.Layer, what)
	}
	return w.Flush()
}

// completeCommands offers the names of described commands.
func (a *app) completeCommands(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	set, err := a.knowledge("")
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return set.Names(true), cobra.ShellCompDirectiveDefault
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"extdir/daemon/server"
	"extdir/hook/wire"
)

func (a *app) approveCmd() *cobra.Command {
	var once, tree, repo, always, yes bool
	var lasts lasting
	var kinds string
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Allow what a question asks about (needs a person)",
		Long: `Allow what a question asks about. Without flags: for its session, exactly the
paths and kinds that were shown, and what lies below a directory that the line
works on. Needs a person: what descends from an agent's session is refused.`,
		Example: `  extdird approve 7f3
  extdird approve 7f3 --once
  extdird approve 7f3 --for 8h --kinds read
  extdird approve 7f3 --tree
  extdird approve 7f3 --always --kinds read`,
		Args: a.takes(1, 1, "the ID of a question", "pending"),
		RunE: func(_ *cobra.Command, args []string) error {
			kv := []string{"id", args[0]}
			switch {
			case always && (once || lasts.set || repo):
				return errors.New("--always goes with --kinds and --tree alone")
			case yes && !always:
				return errors.New("--yes goes with --always")
			case once && lasts.set:
				return errors.New("--once and --for exclude each other")
			case once:
				kv = append(kv, "scope", "once")
			case lasts.set:
				kv = append(kv, "scope", "until", "for", strconv.Itoa(int(lasts.d/time.Second)))
			}
			if tree {
				kv = append(kv, "tree", "1")
			}
			if repo {
				kv = append(kv, "repo", "1")
			}
			if kinds != "" {
				kv = append(kv, "kinds", kinds)
			}
			if always {
				return a.always(yes, kv)
			}
			grant, note, err := a.answer("approve", kv...)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "approved%s\n", a.lastsText(once || grant.once, lasts, grant.id))
			if grant.once && !once {
				fmt.Fprintln(a.out, "  once and no more: it acts on the guard itself")
			}
			a.printCovers(grant.id)
			if note != "" {
				fmt.Fprintf(a.err, "extdird: %s\n", printable(note))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&once, "once", false, "this line, one time")
	f.Var(&lasts, "for", "until a `TIME` from now (30m, 8h, 2d)")
	f.BoolVar(&tree, "tree", false, "each path with all that is below it")
	f.BoolVar(&repo, "repo", false, "the repository around each path")
	f.StringVar(&kinds, "kinds", "", "only these `KINDS`: read, write, execute")
	f.BoolVar(&always, "always", false, "for good: as a rule in the configuration, shown first")
	f.BoolVar(&yes, "yes", false, "with --always: write the rule without asking again")
	return cmd
}

// always shows the rule that would be written, and has it written if that is
// wanted.
func (a *app) always(yes bool, kv []string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	body, err := ask(c, "always", kv...)
	if err != nil {
		return err
	}
	change, err := wire.ParseFields(body)
	if err != nil {
		return fmt.Errorf("the daemon's answer can't be read: %w", err)
	}
	req := wire.Request{Fields: change}
	for line := range strings.Lines(req.Get("diff")) {
		line = printable(strings.TrimSuffix(line, "\n"))
		switch line[:min(1, len(line))] {
		case "+":
			line = a.paint(green, line)
		case "-":
			line = a.paint(red, line)
		}
		fmt.Fprintln(a.out, line)
	}
	if !yes {
		if !term.IsTerminal(int(os.Stdin.Fd())) {
			return errors.New("nothing was written: run it on a terminal, or with --yes once you have seen the change")
		}
		fmt.Fprint(a.out, "write it? [y/N] ")
		answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			return errors.New("nothing was written; the question is still open")
		}
	}
	c.SetTimeout(5 * time.Second)
	if _, err := ask(c, "always", append(kv, "confirm", req.Get("confirm"))...); err != nil {
		return err
	}
	fmt.Fprintln(a.out, "written, and approved for the session")
	return nil
}

// printCovers says what a grant covers, as the daemon keeps it.
func (a *app) printCovers(id string) {
	var grants []server.GrantInfo
	if id == "" || a.list("grants", &grants) != nil {
		return // it was taken already by the shell that waits, or the daemon is gone
	}
	for _, g := range grants {
		if g.ID == id {
			for _, c := range covers(g) {
				fmt.Fprintf(a.out, "  %s\n", printable(c))
			}
		}
	}
}

func (a *app) lastsText(once bool, lasts lasting, grant string) string {
	var s string
	switch {
	case once:
		return " once"
	case lasts.set:
		s = " for " + lasts.String()
	default:
		s = " for the session"
	}
	if grant != "" {
		s += " (grant " + grant + "; " + a.call("grants revoke "+grant) + " takes it back)"
	}
	return s
}

func (a *app) denyCmd() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:     "deny ID",
		Short:   "Refuse what a question asks about (needs a person)",
		Example: "  extdird deny 7f3\n  extdird deny 7f3 --reason 'use the copy in testdata'",
		Args:    a.takes(1, 1, "the ID of a question", "pending"),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, _, err := a.answer("deny", "id", args[0], "reason", reason); err != nil {
				return err
			}
			fmt.Fprintln(a.out, "denied")
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that the agent reads")
	return cmd
}

// given is the grant that an answer made.
type given struct {
	id   string
	once bool // although more was asked for
}

// answer sends an answer to a question. A grant that counts but isn't saved comes
// with a note.
func (a *app) answer(kind string, kv ...string) (grant given, note string, err error) {
	c, err := a.connect()
	if err != nil {
		return given{}, "", err
	}
	defer c.Close()
	req := &wire.Request{Kind: kind}
	for i := 0; i+1 < len(kv); i += 2 {
		if kv[i+1] != "" {
			req.Add(kv[i], strings.ReplaceAll(kv[i+1], "\x00", ""))
		}
	}
	rep, body, err := c.Ask(req)
	if err != nil {
		return given{}, "", err
	}
	switch rep.Verdict {
	case wire.OK:
		return given{id: rep.Arg}, "", nil
	case wire.Body:
		fields, err := wire.ParseFields(body)
		if err != nil {
			return given{}, "", fmt.Errorf("the daemon's answer can't be read: %w", err)
		}
		for _, f := range fields {
			switch f.Key {
			case "grant":
				grant.id = f.Value
			case "scope":
				grant.once = f.Value == "once"
			case "text":
				note = f.Value
			}
		}
		if grant.id == "" {
			return given{}, "", errors.New(note)
		}
		return grant, note, nil
	}
	return given{}, "", fmt.Errorf("the daemon answered %s %s", rep.Verdict, rep.Arg)
}

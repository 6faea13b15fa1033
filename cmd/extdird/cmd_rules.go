package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"extdir/daemon"
	"extdir/daemon/config"
	"extdir/daemon/explain"
	"extdir/daemon/policy"
	"extdir/daemon/session"
)

func (a *app) rulesCmd() *cobra.Command {
	var builtin, defaults bool
	var agent string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules in the order in which they are looked at",
		Long: `List the rules that hold in this directory, layer by layer. Within a layer the
last match wins; a later layer may turn ask into allow and may always be
stricter, but doesn't undo a deny of another author.`,
		Example: `  extdird rules
  extdird rules --agent claude
  extdird rules --defaults > defaults.jsonc
  extdird rules --builtin`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case builtin && defaults:
				return fmt.Errorf("--builtin and --defaults exclude each other")
			case builtin:
				return a.builtinRules()
			case defaults:
				_, err := a.out.Write(config.DefaultRules)
				return err
			}
			return a.rules(agent)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&builtin, "builtin", false, "what no rule can loosen")
	f.BoolVar(&defaults, "defaults", false, "the rules that ship with extdir, as they are written")
	f.StringVar(&agent, "agent", "", "the rules for a session of this agent `NAME`")
	a.jsonFlag(cmd)
	return cmd
}

// ruleInfo is a rule in JSON.
type ruleInfo struct {
	Layer   string `json:"layer"`
	Surface string `json:"surface"`
	Pattern string `json:"pattern"`
	Read    string `json:"read,omitempty"`
	Write   string `json:"write,omitempty"`
	Execute string `json:"execute,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Where   string `json:"where,omitempty"`
}

func (a *app) rules(agent string) error {
	p, err := a.place()
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir()
	cwd, err := physicalDir()
	if err != nil {
		return err
	}
	o := config.Options{Managed: daemon.ManagedConfig, Home: home, TmpDir: os.Getenv("TMPDIR")}
	if _, err := os.Stat(p.Config); err == nil {
		o.File = p.Config
	}
	conf, problems := config.Load(o)
	if len(problems) > 0 {
		return problems[0]
	}
	list := []ruleInfo{}
	for _, layer := range conf.Layers(session.FindRoot(cwd, home), agent) {
		for _, e := range layer.Rules {
			list = append(list, ruleOf(layer.Name, e))
		}
	}
	if a.json {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LAYER\tSURFACE\tPATTERN\tREAD\tWRITE\tEXECUTE\tWHERE")
	for _, r := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Layer, r.Surface, printable(r.Pattern),
			orDash(r.Read), orDash(r.Write), orDash(r.Execute), orDash(r.Where))
	}
	return w.Flush()
}

func ruleOf(layer string, e policy.Entry) ruleInfo {
	action := func(a policy.Action) string {
		if a == policy.NoOpinion {
			return ""
		}
		return a.String()
	}
	r := ruleInfo{
		Layer: layer, Surface: e.Surface, Pattern: e.Pattern, Reason: e.Reason,
		Read: action(e.Read), Write: action(e.Write), Execute: action(e.Execute),
	}
	if e.Origin.File != "" {
		r.Where = explain.Where(e.Origin)
	}
	if e.Surface == "bash" {
		r.Read, r.Write = "", ""
	}
	return r
}

func (a *app) builtinRules() error {
	p, err := a.place()
	if err != nil {
		return err
	}
	list := daemon.Builtin(p)
	if a.json {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tAGENT\tHUMAN")
	for _, b := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", printable(b.What), b.Agent, b.Human)
	}
	return w.Flush()
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"extdir/daemon/explain"
)

// explainLine asks the daemon, so that the rules, grants and session in force
// decide.
func (a *app) explainLine(line string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	cwd, err := physicalDir()
	if err != nil {
		return err
	}
	var e explain.Explanation
	err = askJSON(c, &e, "explain", "line", line, "cwd", cwd, "oldpwd", os.Getenv("OLDPWD"),
		"home", os.Getenv("HOME"), "shell", shellName(), "cdpath", os.Getenv("CDPATH"))
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(e)
	}
	fmt.Fprint(a.out, a.explanation(e))
	return nil
}

func physicalDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("the current directory is not known: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// shellName is the dialect to read a line in: that of the user's shell.
func shellName() string {
	if filepath.Base(os.Getenv("SHELL")) == "zsh" {
		return "zsh"
	}
	return "bash"
}

// explanation is what a person reads: the line with its accesses marked, each
// access with the rule that decided, the verdict, and the time it took.
func (a *app) explanation(e explain.Explanation) string {
	var b strings.Builder
	b.WriteString(a.marked(e, a.columns()-2))
	roots := "no root: everything is outside"
	if len(e.Roots) > 0 {
		roots = strings.Join(e.Roots, ", ")
	}
	fmt.Fprintf(&b, "%s %s\n", a.paint(faint, "root"), printable(roots))
	if e.Error != "" {
		fmt.Fprintf(&b, "%s %s\n", a.paint(faint, "note"), printable(e.Error))
	}
	if len(e.Accesses) == 0 {
		fmt.Fprintln(&b, a.paint(faint, "names no path outside"))
	}
	for i, x := range e.Accesses {
		fmt.Fprintf(&b, "%3d %s\n", i+1, a.accessLine(x))
		for _, f := range e.Findings {
			if f.Access == i {
				fmt.Fprintf(&b, "      %s\n", a.findingLine(f)+a.paint(faint, whose(f, x)))
			}
		}
	}
	for i, text := range e.Commands {
		for _, f := range e.Findings {
			if f.Command == i {
				fmt.Fprintf(&b, "    %s %s\n      %s\n", a.paint(faint, "command"), printable(text), a.findingLine(f))
			}
		}
	}
	fmt.Fprintf(&b, "%s %s", a.paint(faint, "verdict"), a.paint(bold+";"+verdictColour(e.Verdict), e.Verdict))
	if e.Observed != "" {
		fmt.Fprintf(&b, " (this session only observes: it would be %s)", e.Observed)
	}
	if len(e.Needs) > 0 {
		fmt.Fprintf(&b, "\n%s in a guarded shell, %s would be known", a.paint(faint, "note"), printable(needed(e.Needs)))
	}
	fmt.Fprintf(&b, "\n%s analyze %v, decide %v\n", a.paint(faint, "time"), e.Stages.Analyze, e.Stages.Decide)
	return b.String()
}

// whose says which file a finding is about, where that isn't the path itself: one that
// lies below it, or what the built-in gate keeps.
func whose(f explain.Finding, x explain.Access) string {
	switch {
	case f.Gate == "built-in" && x.Kind != "self":
		return ": " + printable(f.Name) + " belongs to the guard, to a shell's start or to an agent's hooks (extdird rules --builtin)"
	case f.Rule != "" && f.Name != "" && f.Name != x.Path && f.Name != x.Typed && x.Certainty != "unknown":
		return ": " + printable(f.Name) + " lies there"
	}
	return ""
}

// needed puts what a shell would be asked for into words.
func needed(needs []string) string {
	var out []string
	for _, n := range needs {
		kind, name, _ := strings.Cut(n, ":")
		switch kind {
		case "var":
			out = append(out, "the value of $"+name)
		case "func":
			out = append(out, "the function "+name)
		case "alias":
			out = append(out, "the alias "+name)
		default:
			out = append(out, "its aliases and functions")
		}
	}
	return strings.Join(out, ", ")
}

func verdictColour(v string) string {
	switch v {
	case "allow":
		return green
	case "block", "deny":
		return red
	}
	return yellow
}

func (a *app) accessLine(x explain.Access) string {
	name := x.Typed
	switch {
	case x.Kind == "self":
		name = "the guard itself"
	case name == "" && x.Path == "":
		name = "a path that isn't known"
	case x.Path != "" && x.Path != x.Typed:
		name = strings.TrimPrefix(x.Typed+" → "+x.Path, " → ")
	}
	where, style := "inside", faint
	if x.External {
		where, style = "outside", yellow
	}
	switch {
	case x.Kind == "self":
		return fmt.Sprintf("%-7s %s%s", x.Kind, a.paint(bold, name), a.paint(faint, " ("+printable(x.Why)+")"))
	case x.Certainty == "unknown" && x.External && x.Typed != "":
		where = "outside, as far as is known"
	case x.Certainty == "unknown" && x.External:
		where = "may lie outside"
	case x.Certainty == "unknown":
		where = "unknown, inside"
	}
	return fmt.Sprintf("%-7s %s  %s", x.Kind, a.paint(bold, printable(name)), a.paint(style, where)+a.paint(faint, " ("+printable(x.Why)+")"))
}

func (a *app) findingLine(f explain.Finding) string {
	s := a.paint(verdictColour(f.Action), f.Action) + " by "
	switch {
	case f.Grant != "":
		s = a.paint(green, "allow") + " by grant " + f.Grant + ", else " + f.Action + " by "
	}
	switch {
	case f.Rule != "":
		s += f.Gate + " rule " + printable(f.Rule) + a.paint(faint, " ("+printable(f.Where)+")")
	case f.Gate == "built-in":
		s += "the built-in gate"
	default:
		s += "the " + f.Gate + " gate's default"
	}
	if f.Reason != "" {
		s += ": " + printable(f.Reason)
	}
	return s
}

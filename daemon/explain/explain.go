// Package explain writes down what was found in a line and how it was decided,
// for programs (JSON) and for people.
package explain

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/policy"
)

// Access is an access in JSON.
type Access struct {
	Path      string `json:"path"`
	Typed     string `json:"typed"`
	Kind      string `json:"kind"`
	Certainty string `json:"certainty"`
	External  bool   `json:"external"`
	Why       string `json:"why"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// Answer is what a batch answers for one line, and the heart of every other
// explanation.
type Answer struct {
	// Paths are the names of what lies outside: the typed one if that is outside
	// by itself, else the resolved one; sorted, unique. An access counts whether
	// a rule allows it or not.
	Paths    []string `json:"paths"`
	Dynamic  bool     `json:"dynamic"`
	Verdict  string   `json:"verdict"`
	Accesses []Access `json:"accesses"`
	Error    string   `json:"error,omitempty"`
}

// Finding is what one gate says of one access or command.
type Finding struct {
	Gate   string `json:"gate"`
	Action string `json:"action"`
	Name   string `json:"name,omitempty"`
	// Rule is the rule as written, "" where the gate's default holds.
	Rule   string `json:"rule,omitempty"`
	Where  string `json:"where,omitempty"`
	Reason string `json:"reason,omitempty"`
	Grant  string `json:"grant,omitempty"`
	// Access and Command are indexes, or -1.
	Access  int `json:"access"`
	Command int `json:"command"`
}

// Stages is how long each stage took.
type Stages struct {
	Analyze time.Duration `json:"analyze_ns"`
	Decide  time.Duration `json:"decide_ns"`
}

// Explanation is everything about one line.
type Explanation struct {
	Line  string   `json:"line"`
	Cwd   string   `json:"cwd"`
	Roots []string `json:"roots"`
	Answer
	// Observed is the verdict a session that only observes would have got.
	Observed string    `json:"observed,omitempty"`
	Commands []string  `json:"commands"`
	Findings []Finding `json:"findings"`
	Needs    []string  `json:"needs,omitempty"`
	Stages   Stages    `json:"stages"`
}

// Answered puts a line and its verdict into the form of the batch.
func Answered(line access.Line, roots []string, verdict policy.Verdict) Answer {
	a := Answer{
		Paths: []string{}, Dynamic: line.Dynamic, Verdict: verdict.String(),
		Accesses: make([]Access, len(line.Accesses)), Error: line.Error,
	}
	outside := func(name string) bool { return Outside(roots, name) }
	for i, x := range line.Accesses {
		a.Accesses[i] = Access{
			Path: x.Path, Typed: x.Typed, Kind: x.Kind.String(), Certainty: x.Certainty.String(),
			External: x.External, Why: x.Why, Start: x.Start, End: x.End,
		}
		if !x.External {
			continue
		}
		if name := x.Name(outside); name != "" {
			a.Paths = append(a.Paths, name)
		}
	}
	slices.Sort(a.Paths)
	a.Paths = slices.Compact(a.Paths)
	return a
}

// Outside tells whether a name lies outside every root.
func Outside(roots []string, name string) bool {
	for _, r := range roots {
		if r == "/" || name == r || strings.HasPrefix(name, r) && len(name) > len(r) && name[len(r)] == '/' {
			return false
		}
	}
	return true
}

// Explained is the whole explanation of a line.
func Explained(line access.Line, ctx policy.Context, d policy.Decision, st Stages) Explanation {
	e := Explanation{
		Line: ctx.Line, Cwd: ctx.Cwd, Roots: ctx.Roots,
		Answer: Answered(line, ctx.Roots, d.Verdict), Stages: st,
		Commands: []string{}, Findings: []Finding{},
	}
	if e.Roots == nil {
		e.Roots = []string{}
	}
	if d.Observed > d.Verdict {
		e.Observed = d.Observed.String()
	}
	for _, c := range line.Commands {
		if len(c.Forms) > 0 {
			e.Commands = append(e.Commands, c.Forms[0].String())
		}
	}
	for _, f := range d.Findings {
		g := Finding{
			Gate: f.Gate, Action: f.Action.String(), Name: f.Name, Grant: f.Grant,
			Access: f.Access, Command: f.Command,
		}
		if f.Rule != nil {
			g.Rule = strconv.Quote(f.Rule.Pattern) + ": " + strconv.Quote(f.Rule.Action.String())
			g.Where = Where(f.Rule.Origin)
			g.Reason = f.Rule.Reason
		}
		e.Findings = append(e.Findings, g)
	}
	for _, n := range line.Needs {
		e.Needs = append(e.Needs, n.Kind+":"+n.Name)
	}
	return e
}

// Where says in a few characters where a rule stands: config.json:14, or the
// name of its layer.
func Where(o policy.Origin) string {
	if o.File == "" {
		return o.Layer
	}
	return filepath.Base(o.File) + ":" + strconv.Itoa(o.Line)
}

package policy

import (
	"slices"
	"strings"

	"extdir/daemon/access"
)

// Decide judges a line: every gate looks at every access and command, and the
// strictest result is the verdict. Nothing is decided early, so that a deny
// anywhere refuses without a question and one line asks at most one.
func (p *Policy) Decide(line access.Line, ctx Context) Decision {
	j := judge{p: p, ctx: ctx, agent: ctx.Driver != "human", budget: lineBudget}
	if ctx.Grants != nil {
		j.exact = ctx.Grants.ExactLine(ctx.Line, ctx.Cwd)
	}
	for i := range line.Accesses {
		j.access(i, &line.Accesses[i])
	}
	for i := range line.Commands {
		j.command(i, &line.Commands[i])
	}
	if line.Error != "" && !slices.ContainsFunc(line.Accesses, func(a access.Access) bool { return a.Certainty == access.Unknown }) {
		// What could not be judged as a whole is never silently allowed.
		j.unknown(-1, access.Access{Certainty: access.Unknown, External: true, Why: line.Error})
	}
	slices.SortStableFunc(j.findings, func(a, b Finding) int { return rank(a) - rank(b) })
	d := Decision{Findings: j.findings}
	for _, f := range j.findings {
		if f.Grant == "" {
			d.Verdict = max(d.Verdict, verdict(f.Action))
		}
	}
	switch {
	case ctx.Driver == "human" && ctx.Mode == "off":
		d.Verdict, d.Observed = VerdictAllow, d.Verdict
	case d.Verdict == VerdictPrompt && (p.env.Observe || ctx.Driver == "human" && ctx.Mode == "observe"):
		d.Verdict, d.Observed = VerdictAllow, d.Verdict
	}
	return d
}

func verdict(a Action) Verdict {
	switch a {
	case Deny:
		return VerdictBlock
	case Ask:
		return VerdictPrompt
	}
	return VerdictAllow
}

// rank orders findings: denies, asks, asks that a grant silenced, allows; within
// these as they were found.
func rank(f Finding) int {
	switch {
	case f.Action == Deny:
		return 0
	case f.Action == Ask && f.Grant == "":
		return 1
	case f.Action == Ask:
		return 2
	}
	return 3
}

type judge struct {
	p        *Policy
	ctx      Context
	agent    bool
	exact    string // id of the grant for this very line
	budget   int    // left for accesses that may stand for many paths
	findings []Finding
}

func (j *judge) add(f Finding, grant string) {
	if f.Action == NoOpinion {
		return
	}
	if f.Action == Ask {
		f.Grant = grant
	}
	j.findings = append(j.findings, f)
}

func (j *judge) access(i int, a *access.Access) {
	j.builtin(i, a)
	if a.Kind == access.Self {
		return
	}
	unknown := a.Certainty == access.Unknown
	// A name that is not absolute can't be told from any other.
	anywhere := a.Typed == "" && a.Path == "" || relative(a.Path) || relative(a.Typed)
	// What lies in a directory for certain is as its rules say, whatever its name is.
	confined := unknown && a.Confined && !a.Glob && j.p.env.Unknown != Deny
	if anywhere || unknown && a.External && !confined {
		j.unknown(i, *a)
	}
	if anywhere {
		return
	}
	path := j.paths("path", &j.p.path, i, a)
	external := Finding{}
	if a.External {
		external = j.paths("external_directory", &j.p.external, i, a)
	}
	grant := j.exact
	if grant == "" && !unknown && j.ctx.Grants != nil && (path.Action == Ask || external.Action == Ask) {
		// What can't be named is never covered by a path, only by the very line.
		grant = j.ctx.Grants.Path(*a)
	}
	j.add(path, grant)
	j.add(external, grant)
}

func (j *judge) unknown(i int, a access.Access) {
	action := j.p.env.Unknown
	if action == NoOpinion {
		action = Ask
	}
	name := a.Typed
	if name == "" {
		name = a.Path
	}
	j.add(Finding{Gate: "unknown", Action: action, Access: i, Command: -1, Name: name}, j.exact)
}

// paths decides both names of an access by the whole list; the stricter result
// wins, the resolved name's where they are equal. An allow of the typed name alone
// says nothing: a link in /tmp leads anywhere.
func (j *judge) paths(gate string, t *trie, i int, a *access.Access) Finding {
	f := Finding{Gate: gate, Access: i, Command: -1}
	real := a.Path
	if real == "" {
		real = a.Typed // could not be resolved: the only name there is
	}
	f.Action, f.Rule, f.Name = j.name(t, a, real, false)
	if f.Action == NoOpinion && gate == "external_directory" {
		f.Action = Ask
	}
	if a.Typed != "" && a.Typed != real && j.outside(a.Typed) {
		if action, rule, name := j.name(t, a, a.Typed, true); action > max(f.Action, Allow) {
			f.Action, f.Rule, f.Name = action, rule, name
		}
	}
	return f
}

func relative(name string) bool { return name != "" && name[0] != '/' }

// outside tells whether a name lies outside every root.
func (j *judge) outside(name string) bool {
	for _, r := range j.ctx.Roots {
		if below(name, r) {
			return false
		}
	}
	return true
}

// below tells whether path is dir or lies below it.
func below(path, dir string) bool {
	return dir == "/" || strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

func (j *judge) command(i int, c *access.Command) {
	f := Finding{Gate: "bash", Access: -1, Command: i}
	for _, form := range c.Forms {
		var l last
		var maybe *Rule
		j.p.commands.match(form, func(r int32) { l.see(j.p, r, 2) }, func(r int32) {
			if maybe == nil {
				maybe = j.p.rules[r].say[2]
			}
		})
		action, rule := l.result(j.p, 2)
		if action < Ask && maybe != nil {
			action, rule = Ask, maybe
		}
		if action > f.Action {
			f.Action, f.Rule, f.Name = action, rule, form.String()
		}
	}
	j.add(f, j.exact)
}

// last keeps the last match of each author.
type last [authors]int32 // index + 1; 0: none

func (l *last) see(p *Policy, r int32, kind int) {
	rule := &p.rules[r]
	if rule.say[kind] != nil && r >= l[rule.author] {
		l[rule.author] = r + 1
	}
}

// result: a deny that is its author's last word is final, the mightiest author's
// first; else the last match of all.
func (l *last) result(p *Policy, kind int) (Action, *Rule) {
	var end int32
	for _, r := range l {
		if r > 0 && p.rules[r-1].say[kind].Action == Deny {
			return Deny, p.rules[r-1].say[kind]
		}
		end = max(end, r)
	}
	if end == 0 {
		return NoOpinion, nil
	}
	rule := p.rules[end-1].say[kind]
	return rule.Action, rule
}

// kindIndex: what is neither read nor execute alone is judged as a write.
func kindIndex(k access.Kind) int {
	switch k {
	case access.Read:
		return 0
	case access.Execute:
		return 2
	}
	return 1
}

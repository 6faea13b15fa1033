package config

import (
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"extdir/daemon/policy"
	"extdir/shell/below"
)

// file is a validated file.
type file struct {
	section
	projects   []section
	agents     []section
	noDefaults bool
	vanished   bool // only what is strict is left of it
}

// count is how many rules there are in all sections, or how many say what e says.
func (f *file) count(e *policy.Entry) int {
	n := 0
	for _, s := range slices.Concat([]section{f.section}, f.projects, f.agents) {
		for _, r := range s.rules {
			if e != nil {
				r.Origin = e.Origin
			}
			if e == nil || r == *e {
				n++
			}
		}
	}
	return n
}

// strict is what stays of a file that vanished: everything but what it allows.
func (f *file) strict() *file {
	g := &file{section: f.section.strict(), noDefaults: f.noDefaults, vanished: true}
	for _, s := range f.projects {
		g.projects = append(g.projects, s.strict())
	}
	for _, s := range f.agents {
		g.agents = append(g.agents, s.strict())
	}
	return g
}

func (s section) strict() section {
	out := section{layer: s.layer, author: s.author, name: s.name, usesRoot: s.usesRoot}
	for _, e := range s.rules {
		for _, a := range []*policy.Action{&e.Read, &e.Write, &e.Execute} {
			if *a == policy.Allow {
				*a = policy.NoOpinion
			}
		}
		out.rules = append(out.rules, e)
	}
	if s.set.unknown != policy.Allow {
		out.set.unknown = s.set.unknown
	}
	if s.set.human == "ask" {
		out.set.human = s.set.human
	}
	out.set.wait = s.set.wait
	out.set.programs = s.set.programs
	return out
}

// section is a part of a file that applies as one layer.
type section struct {
	layer  string // "managed", "user", "projects", "agents"
	author policy.Author
	name   string // directory of a project, name of an agent
	rules  []policy.Entry
	set    said
	// usesRoot: some rule means another directory in every session.
	usesRoot bool
}

// said are the settings that a section names; zero values were not said.
type said struct {
	unknown policy.Action
	human   string
	fail    string
	observe *bool
	wait    time.Duration
	burst   string
	roots   []string
	// programs are an agent's; terminals are of the whole file.
	programs  []string
	terminals []string
}

func (s *said) apply(to *Settings) {
	if s.unknown != policy.NoOpinion {
		to.Unknown = s.unknown
	}
	if s.human != "" {
		to.Human = s.human
	}
	if s.fail != "" {
		to.Fail = s.fail
	}
	if s.observe != nil {
		to.Observe = *s.observe
	}
	if s.wait != 0 {
		to.Wait = s.wait
	}
	if s.burst != "" {
		to.Burst = s.burst
	}
}

// place is where a key may stand.
type place uint8

const (
	top place = 1 << iota
	inProject
	inAgent
)

// origin is what kind of file is read.
type origin struct {
	layer  string
	author policy.Author
}

var (
	managedFile  = origin{"managed", policy.Managed}
	userFile     = origin{"user", policy.User}
	defaultsFile = origin{"defaults", policy.Defaults}
)

type key struct {
	name  string
	where place
	read  func(r *reader, v hujson.Value, s *section)
}

var keys []key

func init() {
	keys = []key{
		{"$schema", top, func(r *reader, v hujson.Value, _ *section) { r.wantText(v, `"$schema"`) }},
		{"permission", top | inProject | inAgent, (*reader).permission},
		{"projects", top, (*reader).projects},
		{"agents", top, (*reader).agents},
		{"roots", top | inProject, (*reader).roots},
		{"programs", inAgent, (*reader).programs},
		{"terminals", top, (*reader).terminals},
		{"unknown", top | inProject | inAgent, func(r *reader, v hujson.Value, s *section) {
			s.set.unknown, _ = r.action(v, `"unknown"`)
		}},
		{"human", top | inProject, func(r *reader, v hujson.Value, s *section) {
			s.set.human = r.oneOf(v, `"human"`, "ask", "observe", "off")
		}},
		{"fail", top, func(r *reader, v hujson.Value, s *section) {
			s.set.fail = r.oneOf(v, `"fail"`, "closed", "open")
		}},
		{"observe", top, func(r *reader, v hujson.Value, s *section) { s.set.observe = r.bool(v, `"observe"`) }},
		{"defaults", top, func(r *reader, v hujson.Value, _ *section) {
			if b := r.bool(v, `"defaults"`); b != nil {
				r.out.noDefaults = !*b
			}
		}},
		{"wait", top | inProject | inAgent, (*reader).wait},
		{"burst", top | inProject | inAgent, func(r *reader, v hujson.Value, s *section) {
			s.set.burst = r.oneOf(v, `"burst"`, "stop", "run")
		}},
	}
}

type reader struct {
	tree
	out file
}

// parse reads and validates a file; it is in force only without problems.
func parse(name string, src []byte, o origin) (*file, []Problem) {
	r := &reader{tree: tree{file: name}}
	r.out.layer, r.out.author = o.layer, o.author
	v, ok := r.tree.read(src)
	if ok {
		r.section(v, "the file", top, &r.out.section)
	}
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return &r.out, nil
}

func (r *reader) section(v hujson.Value, what string, where place, s *section) {
	for _, m := range r.object(v, what) {
		k := find(m.name)
		switch {
		case k == nil:
			r.fail(m.at, "key %q is not known%s", m.name, suggest(m.name, where))
		case k.where&where == 0:
			r.fail(m.at, "key %q has no meaning here: it stands at the top of the file%s", m.name, alsoIn(k.where))
		default:
			k.read(r, m.value, s)
		}
	}
}

func find(name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

func alsoIn(p place) string {
	switch {
	case p&inProject != 0 && p&inAgent != 0:
		return `, in a project or in an agent`
	case p&inProject != 0:
		return ` or in a project`
	}
	return ""
}

// suggest names the key that was probably meant.
func suggest(name string, where place) string {
	for _, s := range surfaces {
		if name == s {
			return `: surfaces stand below "permission"`
		}
	}
	var names []string
	for _, k := range keys {
		if k.where&where != 0 {
			names = append(names, k.name)
		}
	}
	return nearest(name, names)
}

func nearest(name string, among []string) string {
	best, at := 3, ""
	for _, n := range among {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < best && d < len(n) {
			best, at = d, n
		}
	}
	if at == "" {
		return ": known are " + strings.Join(among, ", ")
	}
	return ": did you mean \"" + at + "\"?"
}

// distance counts the letters to insert, drop, replace or swap with the next.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func (r *reader) projects(v hujson.Value, _ *section) {
	for _, m := range r.object(v, `"projects"`) {
		if msg := directory(m.name); msg != "" {
			r.fail(m.at, "project %q %s", m.name, msg)
			continue
		}
		s := section{layer: "projects", author: r.out.author, name: m.name}
		r.section(m.value, "a project", inProject, &s)
		r.out.projects = append(r.out.projects, s)
	}
}

func (r *reader) agents(v hujson.Value, _ *section) {
	for _, m := range r.object(v, `"agents"`) {
		if m.name == "" {
			r.fail(m.at, `an agent's name is empty: write the name given to "extdird run --agent"`)
			continue
		}
		s := section{layer: "agents", author: r.out.author, name: m.name}
		r.section(m.value, "an agent", inAgent, &s)
		r.out.agents = append(r.out.agents, s)
	}
}

func (r *reader) roots(v hujson.Value, s *section) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		r.fail(v.StartOffset, `"roots" must be a list of directories [ … ], not %s`, describe(v))
		return
	}
	for _, e := range list.Elements {
		dir, ok := r.wantText(e, "a root")
		if !ok {
			continue
		}
		if msg := directory(dir); msg != "" {
			r.fail(e.StartOffset, "root %q %s", dir, msg)
			continue
		}
		s.set.roots = append(s.set.roots, dir)
	}
}

// programs are what an agent's program is called: a name of its executable or of the
// script that an interpreter runs, or, with a slash, a part of its path.
func (r *reader) programs(v hujson.Value, s *section) {
	s.set.programs = r.names(v, "programs", func(name string) string {
		if below.Passes(name) {
			return "is a program of everybody's, which passes on what a line started: name the agent's own, or a part of its path"
		}
		return ""
	})
}

// terminals are names of programs that a person's keys come from.
func (r *reader) terminals(v hujson.Value, s *section) {
	s.set.terminals = r.names(v, "terminals", func(name string) string {
		if strings.Contains(name, "/") {
			return "holds a slash: write the name of the program's file alone"
		}
		return ""
	})
}

func (r *reader) names(v hujson.Value, key string, wrong func(string) string) []string {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		r.fail(v.StartOffset, "%q must be a list of names [ … ], not %s", key, describe(v))
		return nil
	}
	var names []string
	for _, e := range list.Elements {
		name, ok := r.wantText(e, "a program")
		if !ok {
			continue
		}
		msg := wrong(name)
		if strings.Trim(name, "/ ") == "" {
			msg = "names no program"
		}
		if msg != "" {
			r.fail(e.StartOffset, "program %q %s", name, msg)
			continue
		}
		names = append(names, name)
	}
	return names
}

// directory tells what keeps a name from being a directory, or "".
func directory(s string) string {
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return "holds a NUL byte, which no path can"
	case strings.ContainsAny(s, "*?["):
		return "is one directory and not a pattern: write it out"
	case strings.HasPrefix(s, "$ROOT"), strings.HasPrefix(s, "${ROOT}"):
		return "can't be named by the root it is to determine: write it out"
	}
	for _, start := range []string{"/", "~", "$HOME", "${HOME}", "$TMPDIR", "${TMPDIR}"} {
		if rest, ok := strings.CutPrefix(s, start); ok && (start == "/" || rest == "" || rest[0] == '/') {
			return ""
		}
	}
	return `must start with "/" or "~/": relative to what is anybody's guess`
}

func (r *reader) bool(v hujson.Value, what string) *bool {
	l, ok := v.Value.(hujson.Literal)
	if !ok || l.Kind() != 't' && l.Kind() != 'f' {
		r.fail(v.StartOffset, "%s must be true or false, not %s", what, describe(v))
		return nil
	}
	b := l.Bool()
	return &b
}

func (r *reader) oneOf(v hujson.Value, what string, choices ...string) string {
	s, ok := r.wantText(v, what)
	if !ok {
		return ""
	}
	for _, c := range choices {
		if s == c {
			return s
		}
	}
	r.fail(v.StartOffset, "%s must be %s, not %q", what, quoted(choices), s)
	return ""
}

func quoted(choices []string) string {
	n := len(choices) - 1
	return `"` + strings.Join(choices[:n], `", "`) + `" or "` + choices[n] + `"`
}

func (r *reader) action(v hujson.Value, what string) (policy.Action, bool) {
	s := r.oneOf(v, what, "allow", "ask", "deny")
	return policy.ParseAction(s)
}

// maxWait is how long a request stays open for an answer.
const maxWait = 10 * time.Minute

func (r *reader) wait(v hujson.Value, s *section) {
	text, ok := r.wantText(v, `"wait"`)
	if !ok {
		return
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		r.fail(v.StartOffset, `"wait" must be a time like "50s" or "2m", not %q`, text)
	case d <= 0 || d > maxWait:
		r.fail(v.StartOffset, `"wait" must be more than 0 and at most "10m", not %q`, text)
	default:
		s.set.wait = d
	}
}

package policy

import "strings"

// spread looks at what a wide access may touch besides its own name: a tree
// (grep -r, rm -r) what is below it, a glob the names it may stand for. A rule
// there can only make the result stricter:
//   - a glob that matches the very text of a rule is decided as that path is;
//   - else nobody knows whether the path exists: deny becomes ask.
//
// Rules that hold at any depth (*.env, **/x) say nothing of a tree as a whole:
// every directory might hold such a file, and every ls -R would ask.
func (j *judge) spread(t *trie, name string, except []string, kind int, glob, wide, typed bool) (Action, *Rule, string) {
	s := spreader{p: j.p, t: t, kind: kind, wide: wide, typed: typed, budget: min(j.budget, accessBudget)}
	start := s.budget
	comps := split(name)
	if len(comps) > maxComponents {
		return Ask, nil, name
	}
	for _, c := range comps {
		if glob && c == "**" {
			s.wide = true
			break
		}
		k := component{text: c}
		if glob && strings.ContainsAny(c, `*?[\`) {
			atoms, err := parseComponent(c)
			if err != "" { // what can't be read may match anything
				atoms, k.all = []atom{{kind: atomAny}}, true
			}
			if k.glob = atoms; err == "" {
				if text, ok := literal(atoms); ok {
					k = component{text: text}
				}
			}
		}
		s.comps = append(s.comps, k)
	}
	for _, e := range except {
		if not, ok := parseComponents(e); ok {
			s.except = append(s.except, not)
		}
	}
	if s.most = Ask; glob {
		s.most = Deny
	}
	s.node(&t.root, 0, true, false)
	j.budget -= start - s.budget
	if s.budget <= 0 && s.action < Ask {
		return Ask, nil, name
	}
	return s.action, s.rule, s.at
}

// What one access and one line may cost. Who has used up the budget is asked.
const (
	accessBudget = 1 << 14
	lineBudget   = 1 << 18
)

// maxComponents: no kernel opens a longer path (PATH_MAX is 4096 bytes on Linux,
// 1024 on macOS, of "/" and a character each), so asking costs nobody anything.
const maxComponents = 2048

type component struct {
	text string
	glob []atom // nil: literal
	all  bool   // may be any name
}

// parseComponents reads a pattern of plain components.
func parseComponents(pattern string) (out [][]atom, ok bool) {
	for _, c := range split(pattern) {
		atoms, err := parseComponent(c)
		if err != "" || c == "**" {
			return nil, false
		}
		out = append(out, atoms)
	}
	return out, true
}

// excluded tells whether the way that led here is one that the glob leaves out.
func (s *spreader) excluded() bool {
	for _, not := range s.except {
		if len(not) > len(s.path) || len(not) != len(s.comps) {
			continue
		}
		all := true
		for i, atoms := range not {
			all = all && matchAtoms(atoms, s.path[i])
		}
		if all {
			return true
		}
	}
	return false
}

type spreader struct {
	p           *Policy
	t           *trie
	comps       []component
	except      [][][]atom // what the glob doesn't match
	kind        int
	wide, typed bool
	path        []string // the components that led here
	budget      int      // of nodes looked at and components compared
	most        Action   // nothing stricter can be found
	action      Action
	rule        *Rule
	at          string
}

// node looks at n, reached after i components. exact: the way is one name that
// the access may stand for; else it is a pattern. guessed: some glob was used up on
// the way, or n lies below a tree, so that the plain match did not see n's rules.
func (s *spreader) node(n *node, i int, exact, guessed bool) {
	if s.budget--; s.budget <= 0 || !n.strict || s.action >= s.most {
		return
	}
	if guessed {
		s.judge(n, i, exact)
	}
	if n.deep != nil && i < len(s.comps) {
		s.node(n.deep, i, exact, guessed)
	}
	if i >= len(s.comps) {
		if !s.wide || n.star {
			return
		}
		for _, c := range n.names {
			s.step(c, n.lit[c], i, exact, true)
		}
		for _, e := range n.globs {
			s.step(e.text, e.to, i, false, true)
		}
		return
	}
	c := s.comps[i]
	if n.star {
		s.step(c.text, n, i, exact && c.glob == nil, guessed)
	}
	if c.glob == nil {
		if to := n.lit[c.text]; to != nil {
			s.step(c.text, to, i, exact, guessed)
		}
		for _, e := range n.globs {
			if matchAtoms(e.glob, c.text) {
				s.step(c.text, e.to, i, exact, guessed)
			}
		}
		return
	}
	for _, name := range n.names {
		if c.all || expands(c.glob, name) {
			s.step(name, n.lit[name], i, exact, true)
		}
	}
	for _, e := range n.globs {
		if meet(e.glob, c.glob) {
			s.step(e.text, e.to, i, false, true)
		}
	}
}

func (s *spreader) step(c string, to *node, i int, exact, guessed bool) {
	s.path = append(s.path, c)
	s.node(to, i+1, exact, guessed)
	s.path = s.path[:len(s.path)-1]
}

// expands tells whether a glob of the shell can stand for the name: a leading dot
// must be written out. With dotglob the analyzer names the files it finds.
func expands(glob []atom, name string) bool {
	if strings.HasPrefix(name, ".") && (len(glob) == 0 || !isText(glob[0], '.')) {
		return false
	}
	return matchAtoms(glob, name)
}

func (s *spreader) judge(n *node, i int, exact bool) {
	if len(n.rules) == 0 || exact && s.excluded() {
		return
	}
	s.budget -= len(s.path) * len(n.rules)
	path := "/" + strings.Join(s.path, "/")
	for _, r := range n.rules {
		rule := s.p.rules[r].say[s.kind]
		if rule == nil || rule.Action < Ask {
			continue
		}
		action := rule.Action
		if exact {
			var l last
			visit := func(rules []int32) {
				for _, r := range rules {
					l.see(s.p, r, s.kind)
				}
			}
			s.t.match(path, visit)
			if !s.typed {
				visit(s.t.all)
			}
			action, rule = l.result(s.p, s.kind)
		}
		if action == Deny && (!exact || i > len(s.comps)) {
			action = Ask
		}
		if action > s.action {
			s.action, s.rule, s.at = action, rule, path
		}
	}
}

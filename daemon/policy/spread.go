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
func (p *Policy) spread(t *trie, name string, kind int, glob, wide, typed bool) (Action, *Rule, string) {
	s := spreader{p: p, t: t, kind: kind, wide: wide, typed: typed, budget: 1 << 16}
	for _, c := range split(name) {
		if glob && c == "**" {
			s.wide = true
			break
		}
		k := component{text: c}
		if glob && strings.ContainsAny(c, `*?[\`) {
			if atoms, err := parseComponent(c); err == "" {
				k.glob = atoms
			}
		}
		s.comps = append(s.comps, k)
	}
	if s.most = Ask; glob {
		s.most = Deny
	}
	s.node(&t.root, 0, "", true, false)
	if s.budget <= 0 && s.action < Ask {
		return Ask, nil, name
	}
	return s.action, s.rule, s.at
}

type component struct {
	text string
	glob []atom // nil: literal
}

type spreader struct {
	p           *Policy
	t           *trie
	comps       []component
	kind        int
	wide, typed bool
	budget      int
	most        Action // nothing stricter can be found
	action      Action
	rule        *Rule
	at          string
}

// node looks at n, reached after i components. exact: path is one name that the
// access may stand for; else it is a pattern. guessed: some glob was used up on
// the way, or n lies below a tree, so that the plain match did not see n's rules.
func (s *spreader) node(n *node, i int, path string, exact, guessed bool) {
	if s.budget--; s.budget <= 0 || !n.strict || s.action >= s.most {
		return
	}
	if guessed {
		s.judge(n, i, path, exact)
	}
	if n.deep != nil && i < len(s.comps) {
		s.node(n.deep, i, path, exact, guessed)
	}
	if i >= len(s.comps) {
		if !s.wide || n.star {
			return
		}
		for _, c := range n.names {
			s.node(n.lit[c], i+1, path+"/"+c, exact, true)
		}
		for _, e := range n.globs {
			s.node(e.to, i+1, path+"/"+e.text, false, true)
		}
		return
	}
	c := s.comps[i]
	if n.star {
		s.node(n, i+1, path+"/"+c.text, exact && c.glob == nil, guessed)
	}
	if c.glob == nil {
		if to := n.lit[c.text]; to != nil {
			s.node(to, i+1, path+"/"+c.text, exact, guessed)
		}
		for _, e := range n.globs {
			if matchAtoms(e.glob, c.text) {
				s.node(e.to, i+1, path+"/"+c.text, exact, guessed)
			}
		}
		return
	}
	for _, name := range n.names {
		if expands(c.glob, name) {
			s.node(n.lit[name], i+1, path+"/"+name, exact, true)
		}
	}
	for _, e := range n.globs {
		if meet(e.glob, c.glob) {
			s.node(e.to, i+1, path+"/"+e.text, false, true)
		}
	}
}

// expands tells whether a glob of the shell can stand for the name: a leading dot
// must be written out. With dotglob the analyzer names the files it finds.
func expands(glob []atom, name string) bool {
	if strings.HasPrefix(name, ".") && (len(glob) == 0 || !isText(glob[0], '.')) {
		return false
	}
	return matchAtoms(glob, name)
}

func (s *spreader) judge(n *node, i int, path string, exact bool) {
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

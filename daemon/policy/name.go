package policy

import (
	"strings"

	"extdir/daemon/access"
)

// name decides one name of an access by the whole list of a surface.
func (j *judge) name(t *trie, a *access.Access, name string, typed bool) (Action, *Rule, string) {
	wide := a.Dir
	if a.Certainty == access.Unknown {
		// DIR/* with an unknown rest: what holds for DIR, and whatever is below.
		name, wide = strings.TrimSuffix(name, "/*"), true
		if name == "" {
			name = "/"
		}
	}
	if a.Glob {
		if matches, except, ok := a.Pattern.Below(name); ok {
			return j.pattern(t, a, name, matches, except, typed)
		}
		return j.glob(t, a, name, nil, typed)
	}
	return j.plain(t, a, name, wide, typed)
}

// pattern decides a glob by all that it may stand for: the strictest counts.
func (j *judge) pattern(t *trie, a *access.Access, name string, matches, except []string, typed bool) (action Action, rule *Rule, at string) {
	at = name
	for i, m := range matches {
		var now Action
		var by *Rule
		var where string
		if text, ok := unescaped(m); ok {
			now, by, where = j.plain(t, a, text, a.Dir, typed)
		} else {
			now, by, where = j.glob(t, a, m, except, typed)
			if where == m {
				where = name
			}
		}
		if i == 0 || stricter(now, action) {
			action, rule, at = now, by, where
		}
	}
	return action, rule, at
}

// stricter: no opinion of a rule is looser than an allow only where a gate asks
// about what no rule speaks of; so it counts as the stricter.
func stricter(a, b Action) bool {
	if a == NoOpinion || b == NoOpinion {
		return a >= Ask || a == NoOpinion && b == Allow
	}
	return a > b
}

// unescaped is the path that a pattern without pattern characters stands for.
func unescaped(pattern string) (string, bool) {
	comps := split(pattern)
	for i, c := range comps {
		atoms, err := parseComponent(c)
		text, ok := literal(atoms)
		if err != "" || !ok {
			return "", false
		}
		comps[i] = text
	}
	return "/" + strings.Join(comps, "/"), true
}

// glob decides a pattern in the syntax of rules.
func (j *judge) glob(t *trie, a *access.Access, name string, except []string, typed bool) (Action, *Rule, string) {
	kind := kindIndex(a.Kind)
	var l last
	visit := func(rules []int32) {
		for _, r := range rules {
			l.see(j.p, r, kind)
		}
	}
	t.cover(name, visit)
	if !typed {
		visit(t.all)
	}
	action, rule := l.result(j.p, kind)
	if action <= Ask {
		if s, r, at := j.spread(t, name, except, kind, true, a.Dir, typed); s > action {
			return s, r, at
		}
	}
	return action, rule, name
}

// plain decides one path, and with wide what lies below it.
func (j *judge) plain(t *trie, a *access.Access, name string, wide, typed bool) (Action, *Rule, string) {
	kind := kindIndex(a.Kind)
	var l last
	visit := func(rules []int32) {
		for _, r := range rules {
			l.see(j.p, r, kind)
		}
	}
	t.match(name, visit)
	if !typed {
		visit(t.all)
	}
	action, rule := l.result(j.p, kind)
	if action < Ask && wide {
		if s, r, at := j.spread(t, name, nil, kind, false, wide, typed); s > action {
			return s, r, at
		}
	}
	return action, rule, name
}

package policy

import (
	"strings"

	"extdir/daemon/access"
)

// name decides one name of an access by the whole list of a surface.
func (j *judge) name(t *trie, a *access.Access, name string, typed bool) (Action, *Rule, string) {
	kind := kindIndex(a.Kind)
	wide := a.Dir
	if a.Certainty == access.Unknown {
		// DIR/* with an unknown rest: what holds for DIR, and whatever is below.
		name, wide = strings.TrimSuffix(name, "/*"), true
		if name == "" {
			name = "/"
		}
	}
	var l last
	visit := func(rules []int32) {
		for _, r := range rules {
			l.see(j.p, r, kind)
		}
	}
	if a.Glob {
		t.cover(name, visit)
	} else {
		t.match(name, visit)
	}
	if !typed {
		visit(t.all)
	}
	action, rule := l.result(j.p, kind)
	if action < Ask && (wide || a.Glob) || action == Ask && a.Glob {
		if s, r, at := j.spread(t, name, kind, a.Glob, wide, typed); s > action {
			return s, r, at
		}
	}
	return action, rule, name
}

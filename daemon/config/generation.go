package config

import (
	"path/filepath"
	"strings"
	"sync"
	"time"

	"extdir/daemon/policy"
)

// generation is one set of rules in force, with what was compiled of it.
type generation struct {
	opts *Options
	n    uint64
	user *file // nil: no file in force

	mu       sync.Mutex
	compiled map[sessionKind]*policy.Policy
}

type sessionKind struct{ root, agent string }

// maxCompiled bounds the memory: a person's root follows every cd.
const maxCompiled = 64

func (g *generation) policy(root, agent string) *policy.Policy {
	g.mu.Lock()
	defer g.mu.Unlock()
	k := sessionKind{root, agent}
	if p := g.compiled[k]; p != nil {
		return p
	}
	s := g.settings(root, agent)
	p, _ := policy.Compile(g.layers(root, agent), policy.Env{
		Home: g.opts.Home, TmpDir: g.opts.TmpDir, Root: root,
		Resolve: g.opts.Resolve, Own: g.opts.Own,
		Unknown: s.Unknown, Observe: s.Observe,
	})
	if g.compiled == nil || len(g.compiled) >= maxCompiled {
		g.compiled = map[sessionKind]*policy.Policy{}
	}
	g.compiled[k] = p
	return p
}

// sections are the parts of the user's file that apply, the more specific later.
func (g *generation) sections(root, agent string) []*section {
	if g.user == nil {
		return nil
	}
	out := []*section{&g.user.section}
	for i := range g.user.projects {
		if g.is(g.user.projects[i].name, root) {
			out = append(out, &g.user.projects[i])
		}
	}
	for i := range g.user.agents {
		if agent != "" && g.user.agents[i].name == agent {
			out = append(out, &g.user.agents[i])
		}
	}
	return out
}

func (g *generation) layers(root, agent string) []policy.Layer {
	var out []policy.Layer
	if g.user == nil || !g.user.noDefaults {
		out = append(out, policy.Layer{Name: "defaults", Author: policy.Defaults, Rules: defaults(g.opts)})
	}
	for _, s := range g.sections(root, agent) {
		out = append(out, policy.Layer{Name: s.layer, Author: policy.User, Rules: s.rules})
	}
	return out
}

func (g *generation) settings(root, agent string) Settings {
	s := Settings{Unknown: policy.Ask, Fail: "closed", Wait: 50 * time.Second, Burst: "stop"}
	for _, sec := range g.sections(root, agent) {
		sec.set.apply(&s)
	}
	if g.user != nil {
		for _, dir := range g.user.set.roots {
			s.Roots = append(s.Roots, g.opts.expand(dir))
		}
	}
	return s
}

func (g *generation) roots(root string) []string {
	var out []string
	for _, s := range g.sections(root, "")[min(1, len(g.sections(root, ""))):] {
		for _, dir := range s.set.roots {
			if dir = g.opts.expand(dir); dir != "" {
				out = append(out, g.opts.Resolve(dir))
			}
		}
	}
	return out
}

// is tells whether a directory as it stands in the file is this one.
func (g *generation) is(dir, root string) bool {
	dir = g.opts.expand(dir)
	return root != "" && dir != "" && (dir == root || g.opts.Resolve(dir) == g.opts.Resolve(root))
}

// expand makes a directory of the file absolute; "" if its variable has no value.
func (o *Options) expand(dir string) string {
	for _, v := range []struct{ name, value string }{
		{"~", o.Home},
		{"$HOME", o.Home},
		{"${HOME}", o.Home},
		{"$TMPDIR", o.TmpDir},
		{"${TMPDIR}", o.TmpDir},
	} {
		if rest, ok := strings.CutPrefix(dir, v.name); ok && (rest == "" || rest[0] == '/') {
			if v.value == "" {
				return ""
			}
			return filepath.Join(v.value, rest)
		}
	}
	return filepath.Clean(dir)
}

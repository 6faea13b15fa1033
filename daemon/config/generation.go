package config

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"extdir/daemon/policy"
	"extdir/daemon/watch"
)

// generation is one set of rules in force, with what was compiled of it.
type generation struct {
	opts  *Options
	n     uint64
	files [sources]*file // managed, user; nil: none in force

	mu       sync.Mutex
	sessions map[sessionKind]*session
	compiled map[sessionKind]*policy.Policy

	namesOnce sync.Once
	names     Programs
}

type sessionKind struct{ root, agent string }

// session is what a file says of sessions with one root and agent.
type session struct {
	policy   *policy.Policy
	settings Settings
	roots    []string
}

// The memory is bounded: a person's root follows every cd, and a set of rules may
// be large.
const (
	maxSessions = 256
	maxCompiled = 16
)

func (g *generation) session(root, agent string) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	k := sessionKind{root, agent}
	if s := g.sessions[k]; s != nil {
		return s
	}
	sections := g.sections(root, agent)
	s := &session{settings: g.settings(sections), roots: g.roots(sections)}
	same := shared(sections, root, agent)
	if s.policy = g.compiled[same]; s.policy == nil {
		s.policy, _ = policy.Compile(g.layers(sections), policy.Env{
			Home: g.opts.Home, TmpDir: g.opts.TmpDir, Root: same.root,
			Resolve: g.opts.Resolve, Own: g.own(),
			Unknown: s.settings.Unknown, Observe: s.settings.Observe,
		})
		if len(g.compiled) >= maxCompiled {
			g.compiled, g.sessions = nil, nil
		}
		if g.compiled == nil {
			g.compiled = map[sessionKind]*policy.Policy{}
		}
		g.compiled[same] = s.policy
	}
	if g.sessions == nil || len(g.sessions) >= maxSessions {
		g.sessions = map[sessionKind]*session{}
	}
	g.sessions[k] = s
	return s
}

// own are the files of extdir itself and the links that lead to its rules: who
// swaps a link swaps the rules.
func (g *generation) own() []string {
	own := g.opts.Own
	if g.opts.OwnLinks != nil {
		own = append(own[:len(own):len(own)], g.opts.OwnLinks()...)
	}
	for _, file := range []string{g.opts.Managed, g.opts.File} {
		if file == "" {
			continue
		}
		own = append(own[:len(own):len(own)], file)
		for _, l := range watch.Resolve(file).Links {
			own = append(own, l.Name)
		}
	}
	return own
}

// shared maps sessions for which the same rules hold to the same policy.
func shared(sections []*section, root, agent string) sessionKind {
	k := sessionKind{}
	for _, s := range sections {
		if s.usesRoot || s.layer == "projects" {
			k.root = root
		}
		if s.layer == "agents" {
			k.agent = agent
		}
	}
	return k
}

// sections are the parts of the files that apply, the more specific later.
func (g *generation) sections(root, agent string) []*section {
	var out []*section
	for _, f := range g.files {
		if f == nil {
			continue
		}
		out = append(out, &f.section)
		for i := range f.projects {
			if g.is(f.projects[i].name, root) {
				out = append(out, &f.projects[i])
			}
		}
		for i := range f.agents {
			if agent != "" && f.agents[i].name == agent {
				out = append(out, &f.agents[i])
			}
		}
	}
	return out
}

func (g *generation) programs() *Programs {
	g.namesOnce.Do(func() {
		g.names.Agents = map[string][]string{}
		for _, f := range g.files {
			if f == nil {
				continue
			}
			for _, s := range f.agents {
				g.names.Agents[s.name] = append(g.names.Agents[s.name], s.set.programs...)
			}
			g.names.Terminals = append(g.names.Terminals, f.set.terminals...)
		}
	})
	return &g.names
}

func (g *generation) layers(sections []*section) []policy.Layer {
	var out []policy.Layer
	if !slices.ContainsFunc(g.files[:], func(f *file) bool { return f != nil && f.noDefaults }) {
		out = append(out, policy.Layer{Name: "defaults", Author: policy.Defaults, Rules: defaults(g.opts)})
	}
	for _, s := range sections {
		out = append(out, policy.Layer{Name: s.layer, Author: s.author, Rules: s.rules})
	}
	return out
}

func (g *generation) settings(sections []*section) Settings {
	s := Settings{Unknown: policy.Ask, Fail: "closed", Wait: 50 * time.Second, Burst: "stop"}
	unknown := map[policy.Author]policy.Action{} // each author's last word
	for _, sec := range sections {
		if sec.set.apply(&s); sec.set.unknown != policy.NoOpinion {
			unknown[sec.author] = sec.set.unknown
		}
		if sec.layer == "user" || sec.layer == "managed" {
			s.Roots = append(s.Roots, g.directories(sec.set.roots)...)
		}
	}
	for _, a := range unknown {
		if a == policy.Deny {
			s.Unknown = a // final for every other author
		}
	}
	return s
}

// roots are the directories that the projects sections add.
func (g *generation) roots(sections []*section) []string {
	var out []string
	for _, s := range sections {
		if s.layer == "projects" {
			out = append(out, g.directories(s.set.roots)...)
		}
	}
	return out
}

func (g *generation) directories(dirs []string) []string {
	var out []string
	for _, dir := range dirs {
		if dir = g.opts.expand(dir); dir != "" {
			out = append(out, g.opts.Resolve(dir))
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

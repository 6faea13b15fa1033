// Package config reads the user's file into layers of rules and keeps them up to
// date while the daemon runs.
//
// A file is taken as a whole or not at all: it is parsed, validated and compiled,
// and only then one pointer is swapped, so that no line is ever judged by half of
// it. A file that can't be taken leaves the last good one in force and says why,
// with line and column, in [Status]. A file that vanishes keeps its denies.
package config

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"extdir/daemon/policy"
	"extdir/daemon/watch"
)

// Schema is the JSON Schema of the file.
//
//go:embed schema.json
var Schema []byte

// DefaultRules is the layer that ships with extdir, as a person reads it.
//
//go:embed defaults.jsonc
var DefaultRules []byte

// Options says where the file is and what its patterns expand to. The values are
// those of the daemon's start; nothing is read from the environment later.
type Options struct {
	File string // absolute; "" is no file: the defaults hold
	// Managed is the administrator's file, "" for none. It counts only while it
	// belongs to root and nobody else may write it.
	Managed string
	Home    string
	TmpDir  string
	// Resolve returns the real name of a path; nil: the file system is asked.
	Resolve func(path string) string
	// Own are the files and directories of extdir itself, which the built-in
	// gate protects. File and Managed are always among them.
	Own []string
	// OwnLinks, if not nil, names more of them each time rules come into force.
	OwnLinks func() []string
	// Keep is a directory for the last good bytes of each file, which hold at a
	// start while the file is broken; "": they aren't kept.
	Keep string
	// Watch tells when the files change; nil: a watcher of its own does.
	Watch *watch.Watcher
	// OnChange is called after other rules came into force or the status
	// changed, never from two goroutines at once.
	OnChange func(Status)

	administrator int // user id; root but in tests
}

// Settings are the keys of the file besides its rules.
type Settings struct {
	Unknown policy.Action // what an unknown access gets
	Human   string        // "ask", "observe", "off"; "" leaves it to how the shell was started
	Fail    string        // "closed" or "open"
	Observe bool          // nothing is asked anywhere; denies refuse all the same
	Wait    time.Duration // how long a shell waits for a person
	Burst   string        // "stop" or "run"
	Roots   []string      // directories that count as a root although they are a home or system directory
}

// Config is a file in force. It is safe for concurrent use.
type Config struct {
	opts   Options
	now    atomic.Pointer[generation]
	status atomic.Pointer[Status]
	mu     sync.Mutex // for changing now, states and status together
	states [sources]Status
	files  []*watch.Follower
	close  func()
}

// Status tells which rules are in force and what is wrong.
type Status struct {
	File       string
	Generation uint64    // counts the sets of rules that came into force
	Loaded     time.Time // when the file in force was read; zero: none is
	Missing    bool      // there is no file
	Problem    string    // why the file on disk is not in force: one sentence, with its place
	Since      time.Time // since when Problem stands
	Problems   []Problem // all that is wrong with the file on disk
	Polling    string    // why changes are noticed within seconds only; "" if at once
	Holds      string    // what is in force while Problem stands
	Kept       string    // the copy of the last good bytes that is in force, if it is
	Unkept     string    // why a later start will have no such copy

	vanished bool // Problem says what is in force
}

// Open reads the file and watches it. A file that is broken or missing is no
// error: it loosens nothing, and Status says so.
func Open(o Options) (*Config, error) {
	if o.Resolve == nil {
		o.Resolve = resolve
	}
	c := &Config{opts: o}
	c.now.Store(&generation{opts: &c.opts})
	c.publish()
	for _, src := range c.sources() {
		if !filepath.IsAbs(src.file) {
			return nil, fmt.Errorf("config file %q must be named by an absolute path", src.file)
		}
	}
	w := o.Watch
	if w == nil {
		w = watch.New()
		c.close = w.Close
	}
	for _, src := range c.sources() {
		c.files = append(c.files, w.Follow((&watched{c: c, source: src}).subject()))
	}
	return c, nil
}

// source is a file that rules come from.
type source struct {
	index  int // in generation.files
	file   string
	origin origin
	owner  int // the user who alone may write it; -1: anybody
}

// sources is how many files there may be.
const sources = 2

func (c *Config) sources() []source {
	var out []source
	if c.opts.Managed != "" {
		out = append(out, source{0, c.opts.Managed, managedFile, c.opts.administrator})
	}
	if c.opts.File != "" {
		out = append(out, source{1, c.opts.File, userFile, -1})
	}
	return out
}

// swap brings other rules of one file into force.
func (c *Config) swap(index int, f *file, change func(*Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.now.Load()
	next := &generation{opts: old.opts, n: old.n + 1, files: old.files}
	next.files[index] = f
	next.session("", "") // compiled before it comes into force
	c.now.Store(next)
	change(&c.states[index])
	c.publish()
}

// note changes what is told of one file.
func (c *Config) note(index int, change func(*Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.states[index])
	c.publish()
}

// publish makes one status of those of the files.
func (c *Config) publish() {
	managed, s := c.states[0], c.states[1]
	s.File, s.Generation = c.opts.File, c.now.Load().n
	s.Holds = both(managed.holds(), s.holds())
	s.Kept, s.Unkept = both(managed.Kept, s.Kept), both(managed.Unkept, s.Unkept)
	if managed.Problem != "" {
		if s.Problem != "" {
			managed.Problem += "; " + s.Problem
		}
		if s.Since.IsZero() || managed.Since.Before(s.Since) {
			s.Since = managed.Since
		}
		s.Problem = managed.Problem
		s.Problems = slices.Concat(managed.Problems, s.Problems)
	}
	if s.Polling == "" {
		s.Polling = managed.Polling
	}
	old := c.status.Load()
	if old != nil && s.equal(*old) {
		return
	}
	c.status.Store(&s)
	if old != nil && c.opts.OnChange != nil {
		c.opts.OnChange(s)
	}
}

// Close ends watching. The rules stay as they are.
func (c *Config) Close() {
	for _, f := range c.files {
		f.Close()
	}
	if c.close != nil {
		c.close()
	}
}

// Reload looks at the files at once instead of waiting for a notice.
func (c *Config) Reload() {
	for _, f := range c.files {
		f.Reload()
	}
}

// Renew brings the same rules into force again, with what OwnLinks says now.
func (c *Config) Renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.now.Load()
	next := &generation{opts: old.opts, n: old.n, files: old.files}
	next.session("", "")
	c.now.Store(next)
}

// Status tells what is in force.
func (c *Config) Status() Status { return *c.status.Load() }

// Policy returns the compiled rules for a session with this root ("" for none)
// and agent ("" for a person).
func (c *Config) Policy(root, agent string) *policy.Policy {
	return c.now.Load().session(root, agent).policy
}

// Settings returns the settings of the file's top level.
func (c *Config) Settings() Settings { return c.SettingsFor("", "") }

// SettingsFor returns the settings for a session with this root and agent.
func (c *Config) SettingsFor(root, agent string) Settings {
	return c.now.Load().session(root, agent).settings
}

// Roots returns the directories that the file's projects section adds to a root.
func (c *Config) Roots(root string) []string {
	return slices.Clone(c.now.Load().session(root, "").roots)
}

// Programs are the names of programs that the files add to those that are known.
type Programs struct {
	Agents    map[string][]string // of an agent's name
	Terminals []string
}

// Programs returns what the files add. It is the same value as long as the files are
// the same.
func (c *Config) Programs() *Programs { return c.now.Load().programs() }

// Layers returns the rules for a root and an agent, in the order of their layers.
func (c *Config) Layers(root, agent string) []policy.Layer {
	g := c.now.Load()
	return g.layers(g.sections(root, agent))
}

// Warnings names the rules that will never take effect, or not in a session with
// this root and agent.
func (c *Config) Warnings(root, agent string) []policy.Problem {
	g := c.now.Load()
	layers := g.layers(g.sections(root, agent))
	env := policy.Env{Home: g.opts.Home, TmpDir: g.opts.TmpDir, Root: root, Resolve: g.opts.Resolve}
	_, out := policy.Compile(layers, env)
	return append(out, policy.Dead(layers, env)...)
}

// Load reads a file once, without watching: the problems keep it from being in
// force. It serves `config check` and judging without a daemon.
func Load(o Options) (*Config, []Problem) {
	if o.Resolve == nil {
		o.Resolve = resolve
	}
	c := &Config{opts: o}
	gen := &generation{opts: &c.opts}
	var all []Problem
	for _, src := range c.sources() {
		st := &c.states[src.index]
		text, err := readFile(src.file, src.owner)
		if errors.Is(err, os.ErrNotExist) && src.owner >= 0 {
			continue // most machines have no administrator's file
		}
		f, problems := (*file)(nil), []Problem(nil)
		if err != nil {
			problems = []Problem{{File: src.file, Message: "can't be read: " + plain(err)}}
		} else {
			f, problems = parse(src.file, text, src.origin)
		}
		if f != nil {
			gen.files[src.index], st.Loaded = f, time.Now()
			gen.n = 1
		}
		st.setProblems(problems, time.Now())
		all = append(all, problems...)
	}
	c.now.Store(gen)
	c.publish()
	return c, all
}

// resolve follows symlinks as the kernel does; what is missing is kept as it is.
func resolve(path string) string {
	return watch.Resolve(path).File
}

// plain is an error without the operation and path that Go puts before it.
func plain(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, ": "); i >= 0 {
		s = s[i+2:]
	}
	return s
}

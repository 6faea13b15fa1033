package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tailscale/hujson"
	"go.uber.org/goleak"

	"extdir/daemon/access"
	"extdir/daemon/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// files that are sound, with nothing to complain about.
var good = []string{
	`{}`,
	"\ufeff{ // a byte order mark\n}",
	`{"$schema": "x", "permission": {}, "projects": {}, "agents": {},}`,
	`{"permission": {"external_directory": "ask", "path": "allow", "bash": "deny"}}`,
	`{"permission": {"external_directory": {"*": "ask", "/tmp/*": "allow", "~/x": {"read": "allow", "write": "ask", "execute": "deny", "reason": "r"}}}}`,
	`{"permission": {"path": {"*.env": "ask", "**/x/y": "deny", "$ROOT/x": "ask", "${HOME}": {"action": "deny", "reason": "r"}}}}`,
	`{"permission": {"bash": {"git push *": "ask", "rm": {"action": "deny", "reason": "no"}}}}`,
	`{"projects": {"~/code/app": {"roots": ["~/code/lib", "/srv/x"], "permission": {"path": "ask"}, "human": "ask", "unknown": "deny", "wait": "5s", "burst": "run"}}}`,
	`{"agents": {"claude": {"wait": "50s", "permission": {"bash": "ask"}, "unknown": "ask", "burst": "stop"}}}`,
	`{"unknown": "ask", "human": "observe", "fail": "closed", "observe": false, "defaults": true, "wait": "1m30s", "burst": "stop", "roots": ["~"]}`,
	`{"human": "off", "fail": "open", "observe": true, "defaults": false}`,
}

// files that are not, with what is said; "place: words".
var bad = []struct {
	src, says string
	schema    bool // the schema can tell too
}{
	{``, "1:1: is not JSON with comments", false},
	{`{`, "1:2: is not JSON with comments", false},
	{"{\n  \"a\" 1}", "2:7: is not JSON with comments", false},
	{`[]`, "1:1: the file must be an object { … }, not a list", true},
	{`{"unknwon": "ask"}`, `1:2: key "unknwon" is not known: did you mean "unknown"?`, true},
	{`{"permissions": {}}`, `did you mean "permission"?`, true},
	{`{"frobnicate": 1}`, `key "frobnicate" is not known: known are $schema, permission`, true},
	{`{"bash": "ask"}`, `key "bash" is not known: surfaces stand below "permission"`, true},
	{`{"permission": {"bsah": "ask"}}`, `surface "bsah" is not known: did you mean "bash"?`, true},
	{`{"permission": {"external": "ask"}}`, `surface "external" is not known: known are path, external_directory, bash`, true},
	{`{"permission": []}`, `1:16: "permission" must be an object { … }, not a list`, true},
	{`{"permission": {"bash": true}}`, `"bash" must be an action ("allow", "ask" or "deny") or an object of patterns, not true or false`, true},
	{`{"permission": {"bash": "alow"}}`, `"bash" must be "allow", "ask" or "deny", not "alow"`, true},
	{`{"permission": {"path": {"/a": 1}}}`, `the rule "/a" must be a string, not a number`, true},
	{`{"permission": {"path": {"/a": {}}}}`, `the rule "/a" says nothing`, true},
	{`{"permission": {"path": {"/a": {"reason": "x"}}}}`, `the rule "/a" says nothing`, true},
	{`{"permission": {"path": {"/a": {"raed": "ask"}}}}`, `key "raed" is not known in a rule: did you mean "read"?`, true},
	{`{"permission": {"path": {"/a": {"read": "ask", "action": "deny"}}}}`, `has "action", which says all kinds at once`, true},
	{`{"permission": {"path": {"/a": {"read": "ask", "reason": 3}}}}`, `"reason" must be a string, not a number`, true},
	{`{"permission": {"bash": {"rm": {"read": "ask"}}}}`, `key "read" is not known in a rule`, true},
	{`{"permission": {"path": {"src/gen": "ask"}}}`, `1:26: pattern "src/gen" must start with "/", "~", "$NAME" or "**/": write "$ROOT/src/gen"`, true},
	{`{"permission": {"path": {"/a/[b": "ask"}}}`, `without its "]"`, false},
	{"{\"permission\": {\"path\": {\n\"/a\": \"ask\",\n  \"/a\": \"deny\"}}}", `3:3: key "/a" stands here a second time (first at 2:1)`, false},
	{"{\"wait\": \"1s\",\n\"wait\": \"2s\"}", `2:1: key "wait" stands here a second time (first at 1:2)`, false},
	{`{"unknown": null}`, `"unknown" must be a string, not null`, true},
	{`{"human": "never"}`, `"human" must be "ask", "observe" or "off", not "never"`, true},
	{`{"fail": "soft"}`, `"fail" must be "closed" or "open"`, true},
	{`{"observe": "yes"}`, `"observe" must be true or false, not a string`, true},
	{`{"defaults": 0}`, `"defaults" must be true or false, not a number`, true},
	{`{"wait": "soon"}`, `"wait" must be a time like "50s" or "2m", not "soon"`, true},
	{`{"wait": 50}`, `"wait" must be a string, not a number`, true},
	{`{"wait": "0s"}`, `more than 0 and at most "10m"`, false},
	{`{"wait": "11m"}`, `more than 0 and at most "10m"`, false},
	{`{"burst": "go"}`, `"burst" must be "stop" or "run"`, true},
	{`{"roots": "~/x"}`, `"roots" must be a list of directories [ … ], not a string`, true},
	{`{"roots": ["x"]}`, `root "x" must start with "/" or "~/"`, true},
	{`{"roots": ["~/code/*"]}`, `is one directory and not a pattern`, true},
	{`{"projects": {"app": {}}}`, `1:15: project "app" must start with "/" or "~/"`, true},
	{`{"projects": {"$ROOT": {}}}`, `can't be named by the root`, true},
	{`{"projects": {"/a": {"projects": {}}}}`, `key "projects" has no meaning here: it stands at the top of the file`, true},
	{`{"projects": {"/a": {"fail": "open"}}}`, `key "fail" has no meaning here: it stands at the top of the file`, true},
	{`{"agents": {"x": {"human": "off"}}}`, `key "human" has no meaning here: it stands at the top of the file or in a project`, true},
	{`{"agents": {"": {}}}`, `an agent's name is empty`, true},
	{`{"agents": {"x": {"programs": "x"}}}`, `"programs" must be a list of names [ … ], not a string`, true},
	{`{"agents": {"x": {"programs": ["make"]}}}`, `1:32: program "make" is a program of everybody's`, false},
	{`{"agents": {"x": {"programs": ["/"]}}}`, `program "/" names no program`, false},
	{`{"agents": {"x": {"terminals": ["x"]}}}`, `key "terminals" has no meaning here: it stands at the top of the file`, true},
	{`{"terminals": ["/usr/bin/myterm"]}`, `1:16: program "/usr/bin/myterm" holds a slash`, true},
	{"{\"$schema\": \"\xff\"}", "1:14: is not valid UTF-8", false},
	{`{"permission": {"path": {"/\ud800": "deny"}}}`, `half a character`, false},
	{strings.Repeat(`{"a":`, 40), "nested deeper than 32 levels", false},
	{strings.Repeat("[", 1<<20), "nested deeper than 32 levels", false},
	{strings.Repeat(" ", maxFile+1), "over 4 MiB", false},
}

func TestParse(t *testing.T) {
	for _, src := range good {
		if _, problems := parse("/c/config.json", []byte(src), userFile); len(problems) > 0 {
			t.Errorf("%s: %v", src, problems)
		}
	}
	for _, c := range bad {
		f, problems := parse("/c/config.json", []byte(c.src), userFile)
		if len(problems) == 0 || f != nil {
			t.Errorf("%.80s: nothing wrong?", c.src)
			continue
		}
		if got := problems[0].Error(); !strings.Contains(got, c.says) {
			t.Errorf("%.80s:\n got %s\nwant %s", c.src, got, c.says)
		}
		if strings.Contains(problems[0].Error(), "hujson") {
			t.Errorf("%s: names the parser", problems[0])
		}
	}
}

func TestAllProblemsAreTold(t *testing.T) {
	_, problems := parse("/c/config.json", []byte("{\n\"unknwon\": 1,\n\"fail\": 2,\n\"permission\": {\"path\": {\"a/b\": \"ask\"}}}"), userFile)
	var places []int
	for _, p := range problems {
		places = append(places, p.Line)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, places); diff != "" {
		t.Error(diff)
	}
}

// The schema for editors and the reader agree.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(src string) error {
		std, err := hujson.Standardize(bytes.TrimPrefix([]byte(src), []byte("\ufeff")))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(std, &v); err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	for _, src := range append(good, string(DefaultRules)) {
		if err := validate(src); err != nil {
			t.Errorf("%.80s: %v", src, err)
		}
	}
	for _, c := range bad {
		if c.schema && validate(c.src) == nil {
			t.Errorf("the schema takes %s", c.src)
		}
	}
}

// judge tells what a policy says of one access.
func judge(p *policy.Policy, kind access.Kind, path string) policy.Verdict {
	a := access.Access{Typed: path, Path: path, Kind: kind, External: !strings.HasPrefix(path, "/code/app")}
	return p.Decide(access.Line{Accesses: []access.Access{a}}, policy.Context{Driver: "agent", Roots: []string{"/code/app"}}).Verdict
}

const (
	allow  = policy.VerdictAllow
	prompt = policy.VerdictPrompt
	block  = policy.VerdictBlock
)

func same(path string) string { return path }

// load reads a file once.
func load(t *testing.T, src string) *Config {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(name, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	c, problems := Load(Options{File: name, Home: "/home/u", TmpDir: "/tmp/u", Resolve: same})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

func TestDefaults(t *testing.T) {
	c, _ := Load(Options{Home: "/home/u", TmpDir: "/var/folders/x/T", Resolve: same})
	p := c.Policy("/code/app", "claude")
	for _, d := range []struct {
		path        string
		read, write policy.Verdict
	}{
		{"/code/app/x", allow, allow},
		{"/tmp/x", allow, allow},
		{"/var/tmp", allow, allow},
		{"/var/folders/x/T/y", allow, allow},
		{"/var/folders/x", prompt, prompt},
		{"/usr/include/x.h", allow, prompt},
		{"/bin/sh", allow, prompt},
		{"/lib64/x", allow, prompt},
		{"/sys/class", allow, prompt},
		{"/proc/cpuinfo", allow, prompt},
		{"/proc/1/environ", prompt, prompt},
		{"/etc/hosts", prompt, prompt},
		{"/home/u/go/pkg/mod/x", allow, prompt},
		{"/home/u/.cargo/registry/x", allow, prompt},
		{"/home/u/.cargo/credentials.toml", prompt, prompt},
		{"/home/u/.claude/projects/x", allow, prompt},
		{"/home/u/.claude/settings.json", prompt, block}, // hooks of an agent's host
		{"/home/u/.ssh/id_rsa", prompt, prompt},
		{"/", prompt, prompt},
	} {
		if got := judge(p, access.Read, d.path); got != d.read {
			t.Errorf("read %s: %s, want %s", d.path, got, d.read)
		}
		if got := judge(p, access.Write, d.path); got != d.write {
			t.Errorf("write %s: %s, want %s", d.path, got, d.write)
		}
		if got := judge(p, access.Execute, d.path); got != allow && strings.HasPrefix(d.path, "/usr") {
			continue
		} else if got == allow && !strings.HasPrefix(d.path, "/code/app") {
			t.Errorf("execute %s is allowed", d.path)
		}
	}
	for _, e := range parsedDefaults() {
		if e.Read == policy.Deny || e.Write == policy.Deny || e.Execute == policy.Deny {
			t.Errorf("the default %s denies", e.Pattern)
		}
	}
	// Credentials are asked for also where a root holds them.
	home := p.Decide(access.Line{Accesses: []access.Access{{Typed: "/home/u/.ssh/x", Path: "/home/u/.ssh/x", Kind: access.Read}}},
		policy.Context{Driver: "agent", Roots: []string{"/home/u"}})
	if home.Verdict != prompt {
		t.Errorf("credentials inside a root: %s", home.Verdict)
	}
}

func TestTmpDirOfDefaults(t *testing.T) {
	for tmp, want := range map[string]policy.Verdict{
		"/var/tmp/u": allow, "/home/u": prompt, "/": prompt, "/tmp/../home/u": prompt, "": prompt, "tmp": prompt, "/tmp/link": prompt,
	} {
		c, _ := Load(Options{Home: "/home/u", TmpDir: tmp, Resolve: func(p string) string {
			return strings.Replace(p, "/tmp/link", "/home/u", 1)
		}})
		path := "/home/u/x"
		if want == allow {
			path = tmp + "/x"
		}
		if got := judge(c.Policy("/code/app", ""), access.Write, path); got != want {
			t.Errorf("TMPDIR=%s, write %s: %s, want %s", tmp, path, got, want)
		}
	}
}

func TestSections(t *testing.T) {
	c := load(t, `{
		"permission": {"external_directory": {"/srv": "deny", "/opt": "allow"}},
		"projects": {"~/code/app": {"roots": ["~/code/lib"], "wait": "5s", "permission": {"external_directory": {"/srv/app": "allow"}}}},
		"agents": {"claude": {"wait": "9s", "unknown": "deny", "permission": {"external_directory": {"/opt": "deny"}}}},
		"human": "ask", "wait": "7s", "roots": ["~"],
	}`)
	for _, s := range []struct {
		root, agent string
		path        string
		want        policy.Verdict
	}{
		{"/home/u/code/app", "", "/srv/app/x", allow},
		{"/home/u/code/app", "", "/srv/x", block},
		{"/home/u/code", "", "/srv/app/x", block},
		{"/home/u/code/app", "claude", "/srv/app/x", allow},
		{"/home/u/code/app", "claude", "/opt/x", block},
		{"/home/u/code/app", "codex", "/opt/x", allow},
		{"", "", "/opt/x", allow},
		{"", "", "/tmp/x", allow},
	} {
		for range 2 { // the second time from the cache
			if got := judge(c.Policy(s.root, s.agent), access.Read, s.path); got != s.want {
				t.Errorf("%q %q %s: %s, want %s", s.root, s.agent, s.path, got, s.want)
			}
		}
	}
	want := Settings{Unknown: policy.Ask, Human: "ask", Fail: "closed", Wait: 7 * time.Second, Burst: "stop", Roots: []string{"/home/u"}}
	if diff := cmp.Diff(want, c.Settings()); diff != "" {
		t.Error(diff)
	}
	want.Wait, want.Unknown = 9*time.Second, policy.Deny
	if diff := cmp.Diff(want, c.SettingsFor("/home/u/code/app", "claude")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/home/u/code/lib"}, c.Roots("/home/u/code/app")); diff != "" {
		t.Error(diff)
	}
	if got := c.Roots("/elsewhere"); len(got) != 0 {
		t.Error(got)
	}
	if c.Policy("/a", "x") != c.Policy("/b", "y") {
		t.Error("sessions for which the same holds should share a policy")
	}
}

func TestRootOfSession(t *testing.T) {
	c := load(t, `{"permission": {"path": {"$ROOT/secret": "deny"}}}`)
	if got := judge(c.Policy("/code/app", ""), access.Read, "/code/app/secret"); got != block {
		t.Error(got)
	}
	if got := judge(c.Policy("/code/other", ""), access.Read, "/code/app/secret"); got != allow {
		t.Error(got)
	}
}

func TestDefaultsFalse(t *testing.T) {
	c := load(t, `{"defaults": false}`)
	if got := judge(c.Policy("", ""), access.Read, "/usr/x"); got != prompt {
		t.Errorf("without defaults nothing outside is allowed: %s", got)
	}
}

func TestOriginOfRules(t *testing.T) {
	c := load(t, "\ufeff{\n  \"permission\": {\"path\": {\n    \"/a\": \"deny\"}, \"bash\": \"ask\"}}")
	layers := c.Layers("", "")
	got := layers[len(layers)-1].Rules
	if got[0].Origin.Line != 3 || got[0].Origin.Col != 5 || got[1].Origin.Line != 3 || got[1].Origin.Col != 20 || got[1].Pattern != "*" {
		t.Errorf("%+v", got)
	}
	if layers[0].Name != "defaults" || layers[0].Rules[0].Origin.File != "" {
		t.Errorf("%+v", layers[0].Rules[0])
	}
}

func TestWarnings(t *testing.T) {
	c := load(t, "{\"permission\": {\"external_directory\": {\n\"$ROOT/x\": \"allow\",\n\"/srv\": \"allow\",\n\"*\": \"ask\"}}}")
	got := c.Warnings("", "")
	if len(got) != 2 || got[0].Origin.Line != 2 || got[1].Origin.Line != 3 || !strings.Contains(got[1].Message, `"*" at 4:1`) {
		t.Errorf("%+v", got)
	}
	if bare, _ := Load(Options{Home: "/home/u", TmpDir: "/tmp/u", Resolve: same}); len(bare.Warnings("/r", "")) != 0 {
		t.Errorf("the defaults warn: %+v", bare.Warnings("/r", ""))
	}
}

// The user's own file is protected whatever it says.
func TestOwnFile(t *testing.T) {
	c := load(t, `{"permission": {"external_directory": "allow"}}`)
	if got := judge(c.Policy("", ""), access.Write, c.opts.File); got != block {
		t.Errorf("writing the file: %s", got)
	}
	if got := judge(c.Policy("", ""), access.Read, c.opts.File); got != allow {
		t.Errorf("reading the file: %s", got)
	}
}

// TestOwnLinks: what OwnLinks names is protected, and again after Renew.
func TestOwnLinks(t *testing.T) {
	own := []string{"/o/first"}
	c, problems := Load(Options{OwnLinks: func() []string { return own }})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, name := range []string{"/o/first", "/o/second"} {
		own[0] = name
		c.Renew()
		if got := judge(c.Policy("", ""), access.Write, name); got != block {
			t.Errorf("writing %s: %s", name, got)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, s := range good {
		f.Add([]byte(s))
	}
	for _, c := range bad {
		if len(c.src) < 1000 {
			f.Add([]byte(c.src))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got, problems := parse("/c/config.json", src, userFile)
		if (got == nil) != (len(problems) > 0) {
			t.Fatal("neither a file nor a problem")
		}
		for _, p := range problems {
			if p.Message == "" || p.Line < 0 || p.Line > 0 && p.Col < 1 {
				t.Fatalf("problem without a place: %+v", p)
			}
		}
		if got == nil {
			return
		}
		g := &generation{opts: &Options{Home: "/home/u", TmpDir: "/tmp", Resolve: same}, files: [sources]*file{nil, got}}
		_, bad := policy.Compile(g.layers(g.sections("/r", "a")), policy.Env{Home: "/home/u", TmpDir: "/tmp", Root: "/r"})
		for _, p := range bad {
			if !p.Warning {
				t.Fatalf("a file that was validated doesn't compile: %+v", p)
			}
		}
		strict := &generation{opts: g.opts, files: [sources]*file{nil, got.strict()}}
		for _, path := range []string{"/a", "/tmp/x", "/home/u/.ssh/id", "/r/.env"} {
			for _, k := range []access.Kind{access.Read, access.Write, access.Execute} {
				before := judge(g.session("/r", "a").policy, k, path)
				after := judge(strict.session("/r", "a").policy, k, path)
				if after < before {
					t.Fatalf("%s %s became looser when the file vanished: %s, then %s", k, path, before, after)
				}
			}
		}
	})
}

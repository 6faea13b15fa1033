package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"extdir/daemon/analyze"
	"extdir/daemon/command"
	"extdir/daemon/policy"
	"extdir/daemon/resolve"
)

// A name with an unknown part in a directory that is allowed asks nothing where it
// surely lies there, and asks where it may lie elsewhere.
func TestUnknownNameInAnAllowedDirectory(t *testing.T) {
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, d := range []string{"app", "k/sub"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "k/link-1.txt")); err != nil {
		t.Fatal(err)
	}
	a := &analyze.Analyzer{FS: resolve.Rooted(dir), Commands: table, OS: "linux"}
	allow := policy.Entry{Surface: "external_directory", Pattern: "/k", Read: policy.Allow, Write: policy.Allow, Execute: policy.Allow}
	deny := policy.Entry{Surface: "external_directory", Pattern: "/k/s/id", Read: policy.Deny}
	compile := func(env policy.Env, rules ...policy.Entry) *policy.Policy {
		p, problems := policy.Compile([]policy.Layer{{Name: "user", Author: policy.User, Rules: rules}}, env)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return p
	}
	one := compile(policy.Env{}, allow)
	for _, tt := range []struct {
		line string
		p    *policy.Policy
		want policy.Verdict
	}{
		{"tar czf /k/app-$(date +%F).tgz src", one, policy.VerdictAllow},
		{"cp a /k/x$((RANDOM)).bak", one, policy.VerdictAllow},
		{"cat /k/new/x$$", one, policy.VerdictAllow}, // a directory that isn't there
		{"cat /k/$$x", one, policy.VerdictAllow},
		{"cat /k/$(date +%F)", one, policy.VerdictPrompt},    // ".."
		{"cat /k/.$(date +%F)", one, policy.VerdictPrompt},   // "..", again
		{"cat /k/x$(date +%F)/y", one, policy.VerdictPrompt}, // a link among them
		{"cat /k/x$(cmd)", one, policy.VerdictPrompt},        // any text
		{"cat /k/x$(cmd).txt", one, policy.VerdictPrompt},
		{"cat /k/li$((n)).txt", one, policy.VerdictPrompt}, // the link
		{"cat /k/lo$((n)).txt", one, policy.VerdictAllow},
		{"ln -s /etc/shadow /k/z1; cat /k/z$((n))", one, policy.VerdictPrompt},
		{"cat /l/x$$", one, policy.VerdictPrompt},
		{"cat /k/x$$", compile(policy.Env{}, allow, policy.Entry{Surface: "external_directory", Pattern: "/k/xy", Read: policy.Deny}), policy.VerdictPrompt},
		{"cat /k/s/x$$", compile(policy.Env{}, allow, deny), policy.VerdictPrompt},
		{"cat /k/t/x$$", compile(policy.Env{}, allow, deny), policy.VerdictAllow},
		{"cat /k/x$$", compile(policy.Env{Unknown: policy.Deny}, allow), policy.VerdictBlock},
	} {
		found := a.Analyze(analyze.Request{Line: tt.line, Shell: "bash", Cwd: "/app", Roots: []string{"/app"}, ShellKnown: true, Vars: map[string]analyze.Var{}})
		if !found.Dynamic && tt.line[0] != 'l' {
			t.Errorf("%s: nothing of it is unknown", tt.line)
		}
		d := tt.p.Decide(found, policy.Context{Line: tt.line, Cwd: "/app", Driver: "agent", Mode: "ask", Roots: []string{"/app"}})
		if d.Verdict != tt.want {
			t.Errorf("%s: %v, want %v (%+v)", tt.line, d.Verdict, tt.want, found.Accesses)
		}
	}
}

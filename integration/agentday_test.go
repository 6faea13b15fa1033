package integration

import (
	"path/filepath"
	"testing"
	"time"

	"extdir/daemon/analyze"
	"extdir/daemon/approval"
	"extdir/daemon/command"
	"extdir/daemon/config"
	"extdir/daemon/policy"
	"extdir/daemon/resolve"
	"extdir/daemon/session"
	"extdir/integration/corpus"
)

// agentLine is a case with where it was typed.
type agentLine struct {
	corpus.Case
	Cwd, Home string
}

// The lines of agents, one after the other in one session under the default rules, each
// question answered "session": how often is a person asked? The lines were collected
// for what is hard to judge, so that they name far more outside than a day's work does.
func TestQuestionsOfASession(t *testing.T) {
	cases, err := corpus.Read[agentLine](filepath.Join("testdata", "corpus", "agent-dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	if err := corpus.Fixture(tree); err != nil {
		t.Fatal(err)
	}
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	a := &analyze.Analyzer{FS: resolve.Rooted(tree), Commands: table, OS: "linux"}
	rules, problems := config.Load(config.Options{Home: "/home/u"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	store, err := approval.Open(filepath.Join(t.TempDir(), "grants.db"), approval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	sess := session.Session{Key: "claude-1", Driver: session.Agent, Agent: "claude", Roots: []string{"/projects/app"}, Home: "/home/u", Started: time.Now()}
	asked, outside, refused := 0, 0, 0
	for _, c := range cases {
		// A day is longer than a test: the lock against tiring people out is for bursts.
		pending := approval.NewPending(store)
		r := analyze.Request{
			Line: c.Cmd, Shell: "bash", Cwd: c.Cwd, Home: c.Home, Roots: sess.Roots, ShellKnown: true,
			Vars: map[string]analyze.Var{"HOME": {Set: true, Exported: true, Value: c.Home}, "PWD": {Set: true, Exported: true, Value: c.Cwd}},
		}
		found := a.Analyze(r)
		if len(c.Expect) > 0 {
			outside++
		}
		d := rules.Policy("/projects/app", "claude").Decide(found, policy.Context{
			Line: c.Cmd, Cwd: c.Cwd, Agent: "claude", Driver: session.Agent, Mode: "ask", Roots: sess.Roots, Grants: store.Grants(sess),
		})
		switch d.Verdict {
		case policy.VerdictBlock:
			refused++
		case policy.VerdictPrompt:
			asked++
			q, err := pending.Open(approval.Ask{Session: sess, Line: c.Cmd, Cwd: c.Cwd, Found: found, Decision: d})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pending.Approve(q.ID, approval.Answer{}, approval.By{}); err != nil {
				if _, err = pending.Approve(q.ID, approval.Answer{Scope: approval.Once}, approval.By{}); err != nil {
					t.Errorf("%s: %v", c.Cmd, err)
				}
			}
		}
	}
	t.Logf("%d lines, %d of them name a path outside: %d questions (%.1f per 100 lines), %d refused",
		len(cases), outside, asked, float64(asked)*100/float64(len(cases)), refused)
	if max := 0.20 * float64(len(cases)); float64(asked) > max {
		t.Errorf("%d questions are more than %.0f", asked, max)
	}
}

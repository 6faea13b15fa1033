package policy

import (
	"testing"

	"extdir/daemon/access"
)

func TestCommandPatterns(t *testing.T) {
	for _, c := range []struct {
		rules string
		line  access.Line
		want  Verdict
	}{
		{"b git_push_* deny", cmd("git push"), VerdictBlock},
		{"b git_push_* deny", cmd("git push -f"), VerdictBlock},
		{"b git_push_* deny", cmd("git pushx"), VerdictAllow},
		{"b git_push deny", cmd("git push -f"), VerdictAllow},
		{"b git* deny", cmd("gitk"), VerdictBlock},
		{"b *_--force deny", cmd("git push --force"), VerdictBlock},
		{"b r? deny", cmd("rm"), VerdictBlock},
		{"b r? deny", cmd("r"), VerdictAllow},
		{"b * deny", cmd("anything at all"), VerdictBlock},
		{`b echo_\* deny`, cmd("echo *"), VerdictBlock},
		{`b echo_\* deny`, cmd("echo x"), VerdictAllow},
		{`b grep_\d deny`, cmd(`grep \d`), VerdictBlock},
		{"b rm_* deny\nb rm_-i_* allow", cmd("rm -i x"), VerdictAllow},
		{"b rm_-i_* allow\nb rm_* deny", cmd("rm -i x"), VerdictBlock},

		// every form counts
		{"b git_push_* ask", cmd("sudo env git push", "env git push", "git push"), VerdictPrompt},
		{"b sudo_* deny\nb git_* allow", cmd("sudo git log", "git log"), VerdictBlock},

		// unknown parts match only *
		{"b git_push_* deny", cmd("git push …"), VerdictBlock},
		{"b git_push_origin deny", cmd("git push …"), VerdictAllow},
		{"b git_pus? deny", cmd("git pus…"), VerdictAllow},
		{"b git_push_* allow\nb * ask", cmd("git push …"), VerdictPrompt},
		{"b * ask\nb git_push_* allow", cmd("git … x"), VerdictPrompt},

		// a deny that could match an unknown command word asks
		{"b rm_* deny", cmd("… -rf x"), VerdictPrompt},
		{"b rm_* deny", cmd("r…"), VerdictPrompt},
		{"b rm_* deny", cmd("g… -rf"), VerdictAllow},
		{"b rm_* ask", cmd("… -rf x"), VerdictAllow},
		{"b rm_-i deny", cmd("… -rf"), VerdictAllow},
		{"b *_--force deny", cmd("… push --force"), VerdictBlock},
		{"b * allow\nb rm_* deny", cmd("…"), VerdictPrompt},
		{"", cmd(""), VerdictAllow},
		{"b * deny", access.Line{Commands: []access.Command{{}}}, VerdictAllow},
	} {
		p := compile(t, testEnv, user(t, c.rules))
		if d := p.Decide(c.line, inWork); d.Verdict != c.want {
			t.Errorf("%q %q: %s, want %s", c.rules, c.line.Commands[0].Forms, d.Verdict, c.want)
		}
	}
}

func TestBuiltin(t *testing.T) {
	env := testEnv
	env.Own = []string{"/home/u/.config/extdir", "/home/u/.bashrc", "/home/u/.local/state/extdir/extdir.db"}
	p := compile(t, env, user(t, "x * allow\np * allow\nb * allow"))
	self := func(l access.SelfLevel) access.Line {
		return access.Line{Accesses: []access.Access{{Kind: access.Self, Self: l, Why: "trap"}}}
	}
	for _, c := range []struct {
		name         string
		line         access.Line
		agent, human Verdict
	}{
		{"reading is free", acc("read /home/u/.bashrc"), VerdictAllow, VerdictAllow},
		{"writing an own file", acc("write /home/u/.bashrc"), VerdictBlock, VerdictPrompt},
		{"writing below an own directory", acc("write /home/u/.config/extdir/config.json"), VerdictBlock, VerdictPrompt},
		{"through a link", acc("write /tmp/l>/home/u/.bashrc"), VerdictBlock, VerdictPrompt},
		{"by its name, the link leading elsewhere", acc("write /home/u/.bashrc>/home/u/dot/bashrc"), VerdictBlock, VerdictPrompt},
		{"a tree that holds one", acc("write /home/u/.config dir"), VerdictBlock, VerdictPrompt},
		{"the directory alone", acc("write /home/u/.config"), VerdictPrompt, VerdictPrompt},
		{"a project's rules", acc("write /code/app/.extdir.json"), VerdictBlock, VerdictPrompt},
		{"of another project", acc("write /code/b/.extdir.json"), VerdictBlock, VerdictPrompt},
		{"hooks of an agent's host in the project", acc("write /code/app/.claude/settings.local.json"), VerdictBlock, VerdictPrompt},
		{"a plug-in there", acc("write /code/app/.opencode/plugins/x.js"), VerdictBlock, VerdictPrompt},
		{"another file of the host", acc("write /code/app/.claude/commands/x.md"), VerdictAllow, VerdictAllow},
		{"its settings read", acc("read /code/app/.claude/settings.json"), VerdictAllow, VerdictAllow},
		{"a file of that name", acc("write /code/app/settings.json"), VerdictAllow, VerdictAllow},
		{"by a glob", acc("write /code/app/.e* glob"), VerdictBlock, VerdictPrompt},
		{"not by a star, which leaves dot files alone", acc("write /code/app/* glob"), VerdictAllow, VerdictAllow},
		{"nor by a tree", acc("write /code/app dir"), VerdictAllow, VerdictAllow},
		{"a star beside a dot file", acc("write /home/u/* glob"), VerdictAllow, VerdictAllow},
		{"a glob", acc("write /home/u/.bash* glob"), VerdictBlock, VerdictPrompt},
		{"a glob on the way", acc("write /home/u/.conf*/extdir/config.json glob"), VerdictBlock, VerdictPrompt},
		{"a glob that can't", acc("write /home/u/*.txt glob"), VerdictAllow, VerdictAllow},
		{"an unknown name beside one", acc("write /home/u/* unknown"), VerdictPrompt, VerdictPrompt},
		{"an unknown name below an own directory", acc("write /home/u/.config/extdir/* unknown"), VerdictBlock, VerdictPrompt},
		{"beside", acc("write /home/u/.bashrc2"), VerdictAllow, VerdictAllow},
		{"self deny", self(access.SelfDeny), VerdictBlock, VerdictPrompt},
		{"self ask", self(access.SelfAsk), VerdictPrompt, VerdictPrompt},
		{"self of no level", self(access.SelfNone), VerdictBlock, VerdictPrompt},
	} {
		for driver, want := range map[string]Verdict{"agent": c.agent, "human": c.human, "": c.agent} {
			ctx := inWork
			ctx.Driver = driver
			if d := p.Decide(c.line, ctx); d.Verdict != want {
				t.Errorf("%s, %q: %s, want %s: %+v", c.name, driver, d.Verdict, want, d.Findings)
			}
		}
	}
}

// grants covers everything it is asked for.
type grants struct{ path, exact bool }

func (g grants) Path(access.Access) string {
	if g.path {
		return "g1"
	}
	return ""
}

func (g grants) ExactLine(line, cwd string) string {
	if g.exact && line == "line" && cwd == "/code/app" {
		return "g2"
	}
	return ""
}

func TestGrants(t *testing.T) {
	env := testEnv
	env.Own = []string{"/home/u/.bashrc"}
	p := compile(t, env, user(t, "x /etc/shadow deny\np *.env ask\nb git_push_* ask"))
	deny := access.Line{Accesses: []access.Access{{Kind: access.Self, Self: access.SelfDeny}}}
	ask := access.Line{Accesses: []access.Access{{Kind: access.Self, Self: access.SelfAsk}}}
	for _, c := range []struct {
		name   string
		line   access.Line
		driver string
		grants Grants
		want   Verdict
	}{
		{"a path grant silences an ask", acc("read /etc/hosts"), "agent", grants{path: true}, VerdictAllow},
		{"on both gates", acc("read /etc/x.env"), "agent", grants{path: true}, VerdictAllow},
		{"never a deny", acc("read /etc/shadow"), "agent", grants{true, true}, VerdictBlock},
		{"one granted, one denied", acc("read /etc/hosts", "read /etc/shadow"), "agent", grants{true, true}, VerdictBlock},
		{"a path grant says nothing of an unknown access", acc("read /tmp/* unknown"), "agent", grants{path: true}, VerdictPrompt},
		{"the exact line does", acc("read /tmp/* unknown"), "agent", grants{exact: true}, VerdictAllow},
		{"a path grant says nothing of a command", cmd("git push"), "agent", grants{path: true}, VerdictPrompt},
		{"the exact line does of a command", cmd("git push"), "agent", grants{exact: true}, VerdictAllow},
		{"own files are never granted", acc("write /home/u/.bashrc"), "human", grants{true, true}, VerdictPrompt},
		{"nor acting on the guard", deny, "human", grants{true, true}, VerdictPrompt},
		{"leaving the guard is asked by the line", ask, "agent", grants{path: true}, VerdictPrompt},
		{"and granted by the line alone", ask, "agent", grants{exact: true}, VerdictAllow},
		{"no grants", acc("read /etc/hosts"), "agent", nil, VerdictPrompt},
	} {
		ctx := inWork
		ctx.Driver, ctx.Grants = c.driver, c.grants
		if d := p.Decide(c.line, ctx); d.Verdict != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, d.Verdict, c.want, d.Findings)
		}
		ctx.Line = "line " // one byte more
		if d := p.Decide(c.line, ctx); c.grants == (grants{exact: true}) && d.Verdict == VerdictAllow {
			t.Errorf("%s: another line was granted too", c.name)
		}
	}
	ctx := inWork
	ctx.Grants = grants{path: true}
	d := p.Decide(acc("read /etc/hosts"), ctx)
	if len(d.Findings) != 1 || d.Findings[0].Grant != "g1" || d.Findings[0].Action != Ask {
		t.Errorf("the finding should tell its grant: %+v", d.Findings)
	}
}

func TestModes(t *testing.T) {
	p := compile(t, testEnv, user(t, "x /etc/shadow deny"))
	env := testEnv
	env.Observe = true
	observing := compile(t, env, user(t, "x /etc/shadow deny"))
	ask, deny := acc("read /etc/hosts"), acc("read /etc/shadow")
	for _, c := range []struct {
		p              *Policy
		driver, mode   string
		line           access.Line
		want, observed Verdict
	}{
		{p, "human", "ask", ask, VerdictPrompt, VerdictAllow},
		{p, "human", "observe", ask, VerdictAllow, VerdictPrompt},
		{p, "human", "observe", deny, VerdictBlock, VerdictAllow},
		{p, "human", "off", ask, VerdictAllow, VerdictPrompt},
		{p, "human", "off", deny, VerdictAllow, VerdictBlock},
		{p, "human", "", ask, VerdictPrompt, VerdictAllow},
		{p, "agent", "off", ask, VerdictPrompt, VerdictAllow},
		{p, "agent", "observe", ask, VerdictPrompt, VerdictAllow},
		{p, "", "off", deny, VerdictBlock, VerdictAllow},
		{observing, "agent", "ask", ask, VerdictAllow, VerdictPrompt},
		{observing, "agent", "ask", deny, VerdictBlock, VerdictAllow},
	} {
		ctx := inWork
		ctx.Driver, ctx.Mode = c.driver, c.mode
		if d := c.p.Decide(c.line, ctx); d.Verdict != c.want || d.Observed != c.observed {
			t.Errorf("%s %s: %s (observed %s), want %s (%s)", c.driver, c.mode, d.Verdict, d.Observed, c.want, c.observed)
		}
	}
}

package policy

import (
	"strings"
	"testing"

	"extdir/daemon/access"
)

// rules reads lines "SURFACE PATTERN ACTION" or "SURFACE PATTERN read=A,write=B";
// blanks in a pattern are written as "_".
func rules(t testing.TB, text string) []Entry {
	t.Helper()
	var out []Entry
	for i, l := range strings.Split(text, "\n") {
		f := strings.Fields(l)
		if len(f) == 0 {
			continue
		}
		if len(f) != 3 {
			t.Fatalf("rule %q", l)
		}
		surface := map[string]string{"p": "path", "x": "external_directory", "b": "bash"}[f[0]]
		e := Entry{Surface: surface, Pattern: strings.ReplaceAll(f[1], "_", " "), Origin: Origin{Layer: "user", File: "/c/config.json", Line: i + 1}}
		if a, ok := ParseAction(f[2]); ok {
			e.Read, e.Write, e.Execute = a, a, a
		} else {
			for _, kv := range strings.Split(f[2], ",") {
				k, v, _ := strings.Cut(kv, "=")
				a, ok := ParseAction(v)
				if !ok {
					t.Fatalf("rule %q", l)
				}
				*map[string]*Action{"read": &e.Read, "write": &e.Write, "execute": &e.Execute}[k] = a
			}
		}
		out = append(out, e)
	}
	return out
}

func compile(t testing.TB, env Env, layers ...Layer) *Policy {
	t.Helper()
	p, problems := Compile(layers, env)
	for _, pr := range problems {
		if !pr.Warning {
			t.Fatal(pr.Message)
		}
	}
	return p
}

func user(t testing.TB, text string) Layer {
	return Layer{Name: "user", Author: User, Rules: rules(t, text)}
}

var inWork = Context{Driver: "agent", Agent: "claude", Mode: "ask", Roots: []string{"/code/app"}, Line: "line", Cwd: "/code/app"}

// acc makes accesses of "read /path", "write /typed>/real", with the suffixes
// " dir", " glob" and " unknown".
func acc(specs ...string) access.Line {
	var l access.Line
	for _, s := range specs {
		f := strings.Fields(s)
		var a access.Access
		a.Kind, _ = access.ParseKind(f[0])
		if len(f) > 1 && strings.HasPrefix(f[1], "/") {
			var ok bool
			if a.Typed, a.Path, ok = strings.Cut(f[1], ">"); !ok {
				a.Path = a.Typed
			}
		}
		for _, w := range f[1:] {
			switch w {
			case "dir":
				a.Dir = true
			case "glob":
				a.Glob = true
			case "unknown":
				a.Certainty = access.Unknown
			}
		}
		a.External = a.Path == "" || !below(a.Path, "/code/app")
		l.Accesses = append(l.Accesses, a)
	}
	return l
}

func cmd(forms ...string) access.Line {
	c := access.Command{}
	for _, f := range forms {
		c.Forms = append(c.Forms, access.CommandText{Parts: strings.Split(f, "…")})
	}
	return access.Line{Commands: []access.Command{c}}
}

func both(a, b access.Line) access.Line {
	return access.Line{Accesses: append(a.Accesses, b.Accesses...), Commands: append(a.Commands, b.Commands...)}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules string
		line  access.Line
		want  Verdict
	}{
		{"inside, no rule", ``, acc("write /code/app/x"), VerdictAllow},
		{"outside, no rule: ask", ``, acc("read /etc/hosts"), VerdictPrompt},
		{"nothing at all", ``, access.Line{}, VerdictAllow},

		// issue 249: the resulting state decides, and the worst of all paths
		{"an allow silences", `x /tmp/* allow`, acc("write /tmp/out"), VerdictAllow},
		{"an allow below a catch-all silences", "x * ask\nx /tmp/* allow", acc("write /tmp/out"), VerdictAllow},
		{"a deny refuses", "x * ask\nx /etc/shadow deny", acc("read /etc/shadow"), VerdictBlock},
		{"allow and ask: ask", "x /tmp/* allow", acc("read /tmp/a", "read /etc/hosts"), VerdictPrompt},
		{"deny and ask: deny", "x /etc/shadow deny", acc("read /etc/hosts", "read /etc/shadow"), VerdictBlock},
		{"allow and deny: deny", "x /tmp/* allow\nx /etc/* deny", acc("read /tmp/a", "read /etc/shadow"), VerdictBlock},

		// bugs 2 and 4 of the predecessor: dir and dir/*, order of a map
		{"dir/* is dir too", "x * allow\nx /etc/* deny", acc("read /etc"), VerdictBlock},
		{"and what is in it", "x * allow\nx /etc/* deny", acc("read /etc", "read /etc/shadow"), VerdictBlock},
		{"the last match wins", "x /tmp/* deny\nx * allow", acc("read /tmp/a"), VerdictAllow},
		{"the last match wins, other order", "x * allow\nx /tmp/* deny", acc("read /tmp/a"), VerdictBlock},
		{"keys that look like numbers stay in place", "x * allow\np 7 deny\np * allow", acc("read /tmp/7"), VerdictAllow},

		// kinds
		{"read allowed", "x ~/.config/* read=allow,write=ask", acc("read /home/u/.config/x"), VerdictAllow},
		{"write asked", "x ~/.config/* read=allow,write=ask", acc("write /home/u/.config/x"), VerdictPrompt},
		{"a kind not named falls through", "x /opt allow\nx /opt/* write=deny", acc("read /opt/x"), VerdictAllow},
		{"execute falls to no match", "x /opt read=allow,write=allow", acc("execute /opt/x"), VerdictPrompt},

		// the path gate holds inside too, and has no opinion without a match
		{"path inside", "p *.env ask", acc("read /code/app/.env"), VerdictPrompt},
		{"path deny inside", "p .git write=deny", acc("write /code/app/.git/config"), VerdictBlock},
		{"a path allow never quiets an external ask", "p * allow", acc("read /etc/hosts"), VerdictPrompt},
		{"an external allow never quiets a path ask", "x * allow\np ~/.ssh ask", acc("read /home/u/.ssh/id"), VerdictPrompt},

		// two names
		{"the resolved name counts", "x /tmp allow", acc("read /tmp/link>/etc/shadow"), VerdictPrompt},
		{"the typed name counts", "x * allow\nx /tmp/link deny", acc("read /tmp/link>/etc/shadow"), VerdictBlock},
		{"a typed deny is not undone by the resolved name", "x /etc allow\nx /tmp deny", acc("read /tmp/link>/etc/hosts"), VerdictBlock},
		{"a star is not for the typed name", "x * ask\nx /usr allow", acc("read /bin/ls>/usr/bin/ls"), VerdictAllow},
		{"typed outside, resolved inside: path rules see it", "p /mnt deny", acc("read /mnt/app/x>/code/app/x"), VerdictBlock},
		{"typed inside is not a second name", "p /code/app/link deny\nx /etc allow", acc("read /code/app/link>/etc/x"), VerdictAllow},

		// unknown
		{"unknown anywhere", ``, acc("read unknown"), VerdictPrompt},
		{"unknown below an allowed directory", "x /tmp allow", acc("read /tmp/* unknown"), VerdictPrompt},
		{"unknown below a denied directory", "x /etc deny", acc("read /etc/* unknown"), VerdictBlock},
		{"unknown, but surely inside", ``, acc("read /code/app/* unknown"), VerdictAllow},
		{"no name at all", "x * allow", access.Line{Accesses: []access.Access{{Kind: access.Read}}}, VerdictPrompt},
		{"a relative name", "x * allow", access.Line{Accesses: []access.Access{{Kind: access.Read, Path: "tmp/x"}}}, VerdictPrompt},
		{"a kind of two", "x * read=allow", access.Line{Accesses: []access.Access{{Kind: access.Read | access.Write, Path: "/x", External: true}}}, VerdictPrompt},
		{"a line that can't be judged", ``, access.Line{Error: "too deep"}, VerdictPrompt},

		// trees: what is below counts
		{"a tree with a deny below", "x /tmp allow\nx /tmp/secret deny", acc("write /tmp dir"), VerdictPrompt},
		{"the directory alone", "x /tmp allow\nx /tmp/secret deny", acc("read /tmp"), VerdictAllow},
		{"a tree with an ask below", "x ~/.config allow\np ~/.config/gh ask", acc("read /home/u/.config dir"), VerdictPrompt},
		{"an ask below that a later rule took back", "x ~/.config allow\np ~/.config/gh ask\np ~/.config allow", acc("read /home/u/.config dir"), VerdictAllow},
		{"a tree beside a deny", "x /tmp allow\nx /tmp/secret deny", acc("read /tmp/other dir"), VerdictAllow},
		{"a rule of any depth says nothing of a tree", "p *.env ask", acc("read /code/app dir"), VerdictAllow},
		{"a pattern below a tree", "x /srv allow\nx /srv/*/key deny", acc("read /srv dir"), VerdictPrompt},
		{"other kinds below don't count", "x /tmp allow\nx /tmp/secret write=deny", acc("read /tmp dir"), VerdictAllow},

		// globs
		{"a glob on the text of a deny", "x /etc allow\nx /etc/shadow deny", acc("read /etc/sh* glob"), VerdictBlock},
		{"a glob that can't", "x /etc allow\nx /etc/shadow deny", acc("read /etc/*.conf glob"), VerdictAllow},
		{"a glob in a middle component", "x /etc allow\nx /etc/ssl/key deny", acc("read /etc/*/key glob"), VerdictBlock},
		{"a glob above a denied tree", "x /etc allow\nx /etc/ssl deny", acc("read /etc/ss[l]/x/y glob"), VerdictBlock},
		{"two patterns that may meet", "x /etc allow\nx /etc/*.key deny", acc("read /etc/server* glob"), VerdictPrompt},
		{"an allow must hold for all", "x /etc/a* allow", acc("read /etc/* glob"), VerdictPrompt},
		{"the same pattern holds", "x /etc/a*.conf allow", acc("read /etc/a*.conf glob"), VerdictAllow},
		{"a star does not stand for a dot file", "p .env deny", acc("read /code/app/* glob"), VerdictAllow},
		{"a written dot does", "p .env deny", acc("read /code/app/.e* glob"), VerdictBlock},
		{"globstar is a tree", "x /srv allow\nx /srv/a/key deny", acc("read /srv/**/x glob"), VerdictPrompt},

		// commands
		{"bash ask", "b git_push_* ask", cmd("git push origin"), VerdictPrompt},
		{"bash deny and external ask: deny", "b git_push_* deny", both(acc("read /etc/x"), cmd("git push")), VerdictBlock},
		{"bash allow quiets no external ask", "b * allow", both(acc("read /etc/x"), cmd("cat /etc/x")), VerdictPrompt},
	} {
		p := compile(t, testEnv, user(t, c.rules))
		d := p.Decide(c.line, inWork)
		if d.Verdict != c.want {
			t.Errorf("%s: %s, want %s (%+v)", c.name, d.Verdict, c.want, d.Findings)
		}
		if d.Verdict != VerdictAllow && verdict(d.Findings[0].Action) != d.Verdict {
			t.Errorf("%s: the first finding is not the one that decided: %+v", c.name, d.Findings)
		}
	}
}

func TestUnknownSetting(t *testing.T) {
	for _, c := range []struct {
		unknown Action
		rules   string
		line    access.Line
		want    Verdict
	}{
		{Allow, "", acc("read unknown"), VerdictAllow},
		{Deny, "", acc("read unknown"), VerdictBlock},
		{Allow, "x /tmp allow", acc("write /tmp/* unknown"), VerdictAllow},
		{Allow, "", acc("write /etc/* unknown"), VerdictPrompt},
		{Allow, "x /tmp allow\nx /tmp/s deny", acc("write /tmp/* unknown"), VerdictPrompt},
	} {
		env := testEnv
		env.Unknown = c.unknown
		if d := compile(t, env, user(t, c.rules)).Decide(c.line, inWork); d.Verdict != c.want {
			t.Errorf("unknown=%s %q: %s, want %s", c.unknown, c.rules, d.Verdict, c.want)
		}
	}
}

func TestLayers(t *testing.T) {
	for _, c := range []struct {
		name   string
		layers []string // "author: rule; rule"
		want   Verdict
	}{
		{"a later layer may loosen an ask", []string{"defaults: x * ask", "user: x /etc allow"}, VerdictAllow},
		{"a later layer may be stricter", []string{"defaults: x /etc allow", "user: x /etc deny"}, VerdictBlock},
		{"a managed deny is final", []string{"managed: x /etc deny", "user: x /etc allow"}, VerdictBlock},
		{"a user's deny is final for the project", []string{"user: x /etc deny", "project: x /etc allow"}, VerdictBlock},
		{"a project's deny is final for the user's agent section", []string{"project: x /etc deny", "user: x /etc allow"}, VerdictBlock},
		{"the user's section overrides the user's own deny", []string{"user: x /etc deny", "user: x /etc/h* allow"}, VerdictAllow},
		{"taking back one's own deny leaves another's", []string{"managed: x /etc deny", "user: x /etc deny", "user: x /etc allow"}, VerdictBlock},
		{"a deny taken back within a layer is none", []string{"managed: x /etc deny; x /etc/hosts ask", "user: x /etc allow"}, VerdictAllow},
		{"a star of a later layer", []string{"user: x /etc allow", "project: x * ask"}, VerdictPrompt},
		{"no layer", nil, VerdictPrompt},
	} {
		var layers []Layer
		for _, l := range c.layers {
			author, text, _ := strings.Cut(l, ":")
			a := map[string]Author{"defaults": Defaults, "managed": Managed, "user": User, "project": Project}[author]
			layers = append(layers, Layer{Name: author, Author: a, Rules: rules(t, strings.ReplaceAll(text, ";", "\n"))})
		}
		if d := compile(t, testEnv, layers...).Decide(acc("read /etc/hosts"), inWork); d.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, d.Verdict, c.want)
		}
	}
}

func TestResolvedPatterns(t *testing.T) {
	env := testEnv
	env.Resolve = func(p string) string {
		if r, ok := strings.CutPrefix(p, "/tmp"); ok {
			return "/private/tmp" + r
		}
		return p
	}
	p := compile(t, env, user(t, "x /tmp/*.log allow\nx /tmp/x deny"))
	for line, want := range map[string]Verdict{
		"read /tmp/a.log>/private/tmp/a.log": VerdictAllow,
		"read /private/tmp/a.log":            VerdictAllow,
		"read /private/tmp/x":                VerdictBlock,
		"read /tmp/x>/private/tmp/x":         VerdictBlock,
		"read /private/tmp/y":                VerdictPrompt,
	} {
		if d := p.Decide(acc(line), inWork); d.Verdict != want {
			t.Errorf("%s: %s, want %s", line, d.Verdict, want)
		}
	}
}

func TestVariablesWithoutValue(t *testing.T) {
	p, problems := Compile([]Layer{user(t, "x $ROOT/x allow\nx ~/y deny")}, Env{Home: "/home/u"})
	if len(problems) != 1 || !problems[0].Warning || !strings.Contains(problems[0].Message, "$ROOT has no value") {
		t.Fatalf("problems: %+v", problems)
	}
	if d := p.Decide(acc("read /x"), inWork); d.Verdict != VerdictPrompt {
		t.Errorf("$ROOT without a value became /: %s", d.Verdict)
	}
	if d := p.Decide(acc("read /home/u/y"), inWork); d.Verdict != VerdictBlock {
		t.Errorf("the other rule: %s", d.Verdict)
	}
}

func TestUnsoundRuleIsReported(t *testing.T) {
	p, problems := Compile([]Layer{{Author: User, Rules: []Entry{
		{Surface: "path", Pattern: "a/b", Read: Deny},
		{Surface: "paths", Pattern: "/a", Read: Deny},
		{Surface: "bash", Pattern: "", Execute: Deny},
		{Surface: "path", Pattern: "/ok", Read: Deny},
	}}}, testEnv)
	if len(problems) != 3 || problems[0].Warning {
		t.Fatalf("problems: %+v", problems)
	}
	if d := p.Decide(acc("read /ok"), inWork); d.Verdict != VerdictBlock {
		t.Error("the sound rule is not in force")
	}
}

func TestFindingsNameTheDecidingRule(t *testing.T) {
	p := compile(t, testEnv, user(t, "x * ask\nx /etc/* deny"))
	line := acc("read /srv/x", "read /etc/shadow")
	d := p.Decide(line, inWork)
	got := d.Findings[0].Text(line, inWork)
	want := `/etc/shadow is outside /code/app (rule "/etc/*": "deny", config.json:2)`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if d.Findings[1].Access != 0 || d.Findings[1].Rule.Pattern != "*" {
		t.Errorf("second finding: %+v", d.Findings[1])
	}
}

func TestText(t *testing.T) {
	r := rules(t, "x /tmp allow\nx /tmp/s deny\np ~/.ssh deny\nb git_push_* deny")
	r[2].Reason = "keys stay private"
	env := testEnv
	env.Own = []string{"/home/u/.config/extdir"}
	p := compile(t, env, Layer{Author: User, Rules: r})
	noRoot := inWork
	noRoot.Roots = nil
	for _, c := range []struct {
		line access.Line
		ctx  Context
		want string
	}{
		{acc("read /tmp/l>/etc/passwd"), inWork, `/tmp/l -> /etc/passwd is outside /code/app (no rule: "ask")`},
		{acc("read /etc/passwd"), noRoot, `/etc/passwd is outside: the session has no root (no rule: "ask")`},
		{acc("read /home/u/.ssh/id"), inWork, `read of /home/u/.ssh/id (rule "~/.ssh": "deny", config.json:3): keys stay private`},
		{acc("write /tmp dir"), inWork, `/tmp holds /tmp/s, which is outside /code/app (rule "/tmp/s": "deny", config.json:2)`},
		{acc("write /tmp/? glob"), inWork, `/tmp/? may be /tmp/s, which is outside /code/app (rule "/tmp/s": "deny", config.json:2)`},
		{cmd("git push …"), inWork, `command git push … (rule "git push *": "deny", config.json:4)`},
		{acc("read unknown"), inWork, `what the line touches can't be told from its text ("unknown": "ask")`},
		{acc("read /tmp/* unknown"), inWork, `what /tmp/* stands for can't be told from the line ("unknown": "ask")`},
		{acc("write /home/u/.config/extdir/config.json"), inWork, `writing /home/u/.config/extdir/config.json reaches /home/u/.config/extdir, which belongs to extdir itself (built-in)`},
		{acc("write /home/u/.config/extdir"), inWork, `/home/u/.config/extdir belongs to extdir itself (built-in)`},
		{access.Line{Error: "too deep to judge"}, inWork, `what the line touches can't be told from its text (too deep to judge) ("unknown": "ask")`},
		{acc("read /etc/\x1b[2J\u202ex"), inWork, `/etc/\x1b[2J\u{202e}x is outside /code/app (no rule: "ask")`},
	} {
		d := p.Decide(c.line, c.ctx)
		if len(d.Findings) == 0 {
			t.Errorf("no finding, want %s", c.want)
			continue
		}
		if got := d.Findings[0].Text(c.line, c.ctx); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

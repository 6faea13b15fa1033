package approval

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"extdir/daemon/access"
	"extdir/daemon/policy"
	"extdir/daemon/session"
)

func newPending(t *testing.T) (*Pending, *Store, *clock) {
	t.Helper()
	c := newClock()
	s := openStore(t, filepath.Join(t.TempDir(), "db"), func(o *Options) { o.Now, o.Uptime = c.now, c.uptime })
	return NewPending(s), s, c
}

// ask is a question about a line with these accesses, each asked about.
func ask(line string, accesses ...access.Access) Ask {
	a := Ask{Session: testSession, Line: line, Cwd: "/code/app", Found: access.Line{Accesses: accesses}}
	a.Decision.Verdict = policy.VerdictPrompt
	for i := range accesses {
		a.Decision.Findings = append(a.Decision.Findings, policy.Finding{
			Gate: "external_directory", Action: policy.Ask, Access: i, Command: -1, Name: accesses[i].Path,
		})
	}
	return a
}

func open1(t *testing.T, p *Pending, a Ask) Request {
	t.Helper()
	r, err := p.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAskAndApprove(t *testing.T) {
	p, s, _ := newPending(t)
	a := ask("cat /x", certain(access.Read, "/x"))
	r := open1(t, p, a)
	if !regexp.MustCompile(`^[0-9a-f]{3}$`).MatchString(r.ID) {
		t.Errorf("id %q", r.ID)
	}
	if again := open1(t, p, a); again.ID != r.ID {
		t.Error("the same line is asked about twice")
	}
	if n := len(p.List()); n != 1 {
		t.Errorf("%d questions", n)
	}
	got := make(chan Outcome)
	go func() {
		o, err := p.Wait(context.Background(), r.ID)
		if err != nil {
			t.Error(err)
		}
		got <- o
	}()
	g, err := p.Approve(r.ID, Answer{}, By{TTY: "/dev/pts/9"})
	if err != nil || g.Scope != InSession || !g.Saved {
		t.Fatal(g, err)
	}
	if o := <-got; o.Verdict != policy.VerdictAllow || o.Grant != g.ID || o.By.TTY != "/dev/pts/9" {
		t.Errorf("%+v", o)
	}
	if s.Grants(testSession).Path(certain(access.Read, "/x")) != g.ID {
		t.Error("the session isn't covered")
	}
	if s.Grants(testSession).Path(certain(access.Write, "/x")) != "" {
		t.Error("more was granted than shown")
	}
	if _, err := p.Approve(r.ID, Answer{}, By{}); err == nil || !strings.Contains(err.Error(), "answered already") {
		t.Error(err)
	}
	if len(p.List()) != 0 {
		t.Error(p.List())
	}
}

func TestApprovedLate(t *testing.T) {
	p, s, c := newPending(t)
	r := open1(t, p, ask("cat /x", certain(access.Read, "/x")))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o, err := p.Wait(ctx, r.ID); err != nil || o.Verdict != policy.VerdictPrompt || o.Text != "extdir: waiting for a person: extdird approve "+r.ID+", then run the same line again" {
		t.Fatalf("%+v %v", o, err)
	}
	c.pass(9 * time.Minute)
	if _, err := p.Approve(strings.ToUpper(r.ID), Answer{Scope: Once}, By{}); err != nil {
		t.Fatal(err)
	}
	v := s.Grants(testSession)
	if v.Path(certain(access.Read, "/x")) != "" {
		t.Error("the path is covered in any line")
	}
	if v.ExactLine("cat /x", "/code/app"); v.Path(certain(access.Read, "/y")) != "" {
		t.Error("the line may touch something else by now")
	}
	if v.Path(certain(access.Read, "/x")) == "" || !v.Consume() {
		t.Error("the same line isn't covered once")
	}
	v = s.Grants(testSession)
	if v.ExactLine("cat /x", "/code/app"); v.Path(certain(access.Read, "/x")) != "" {
		t.Error("it is covered twice")
	}
	// Whoever waits now comes too late.
	if o, _ := p.Wait(context.Background(), r.ID); o.Verdict != policy.VerdictBlock {
		t.Errorf("%+v", o)
	}
}

// Allowed once, two shells waiting: one runs the line.
func TestOnceForTwo(t *testing.T) {
	p, _, _ := newPending(t)
	r := open1(t, p, ask("cat /x", certain(access.Read, "/x")))
	got := make(chan policy.Verdict)
	for range 2 {
		go func() {
			o, _ := p.Wait(context.Background(), r.ID)
			got <- o.Verdict
		}()
	}
	for {
		if q, _ := p.Get(r.ID); q.Waiting == 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := p.Approve(r.ID, Answer{Scope: Once}, By{}); err != nil {
		t.Fatal(err)
	}
	if a, b := <-got, <-got; a == b {
		t.Errorf("both got %v", a)
	}
}

// A session that wasn't written down when its question was approved is then.
func TestApproveKeepsTheSession(t *testing.T) {
	p, s, _ := newPending(t)
	a := ask("cat /x", certain(access.Read, "/x"))
	a.Session.Key = "new"
	r := open1(t, p, a)
	if _, err := p.Approve(r.ID, Answer{}, By{}); err != nil {
		t.Fatal(err)
	}
	c := newClock()
	s = reopen(t, s, func(o *Options) { o.Now, o.Uptime = c.now, c.uptime })
	if s.Grants(a.Session).Path(certain(access.Read, "/x")) == "" {
		t.Error("lost with a restart")
	}
}

// A link that is moved while a person thinks doesn't change what is approved.
func TestTheLineTouchesSomethingElse(t *testing.T) {
	p, s, _ := newPending(t)
	before, after := certain(access.Read, "/x"), certain(access.Read, "/secret")
	before.Typed, after.Typed = "/link", "/link"
	first := open1(t, p, ask("cat /link", before))
	got := make(chan Outcome)
	go func() {
		o, _ := p.Wait(context.Background(), first.ID)
		got <- o
	}()
	second := open1(t, p, ask("cat /link", after))
	if second.ID == first.ID {
		t.Fatal("the question changed under the person who reads it")
	}
	if o := <-got; o.Verdict != policy.VerdictBlock || !strings.Contains(o.Text, second.ID) {
		t.Errorf("%+v", o)
	}
	if _, err := p.Approve(first.ID, Answer{}, By{}); err == nil {
		t.Error("the old question was approved")
	}
	if s.Grants(testSession).Path(after) != "" {
		t.Error("more is covered than was shown")
	}
}

func TestTake(t *testing.T) {
	p, s, _ := newPending(t)
	r := open1(t, p, ask("cat /x", certain(access.Read, "/x")))
	if o, err := p.Take(r.ID); err != nil || o.Verdict != policy.VerdictPrompt {
		t.Error(o, err)
	}
	if _, err := p.Approve(r.ID, Answer{Scope: Once}, By{}); err != nil {
		t.Fatal(err)
	}
	if o, err := p.Take(r.ID); err != nil || o.Verdict != policy.VerdictAllow {
		t.Error(o, err)
	}
	v := s.Grants(testSession)
	if v.ExactLine("cat /x", "/code/app"); v.Path(certain(access.Read, "/x")) != "" {
		t.Error("it can run again")
	}
}

func TestQuestionsEnd(t *testing.T) {
	p, _, c := newPending(t)
	r := open1(t, p, ask("cat /x", certain(access.Read, "/x")))
	if err := p.Deny(r.ID, "use the copy in docs", By{}); err != nil {
		t.Fatal(err)
	}
	if o, _ := p.Wait(context.Background(), r.ID); o.Verdict != policy.VerdictBlock || !strings.HasSuffix(o.Text, "a person said no: use the copy in docs") {
		t.Errorf("%+v", o)
	}
	r = open1(t, p, ask("cat /y", certain(access.Read, "/y")))
	if err := p.Cancel(r.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Approve(r.ID, Answer{}, By{}); err == nil {
		t.Error("a question that was given up was approved")
	}
	r = open1(t, p, ask("cat /z", certain(access.Read, "/z")))
	p.EndSession(testSession.Key)
	if q, _ := p.Get(r.ID); q.Open {
		t.Error("a question outlived its session")
	}
	r = open1(t, p, ask("cat /t", certain(access.Read, "/t")))
	c.pass(OpenFor)
	if _, err := p.Approve(r.ID, Answer{}, By{}); err == nil {
		t.Error("a question was approved after its time")
	}
	c.pass(OpenFor)
	p.List()
	if len(p.all) != 0 || len(p.asks) != 0 {
		t.Errorf("kept: %v %v", p.all, p.asks)
	}
	if _, err := p.Wait(context.Background(), "fff"); err == nil {
		t.Error("waited for nothing")
	}
}

func TestLockOut(t *testing.T) {
	p, _, c := newPending(t)
	line := func(i int) Ask {
		return ask("cat /x"+strings.Repeat("x", i), certain(access.Read, "/x"))
	}
	// What is approved doesn't count.
	for i := range 5 {
		r := open1(t, p, line(i))
		if _, err := p.Approve(r.ID, Answer{Scope: Once}, By{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range lockAfter {
		r := open1(t, p, line(i))
		if i%2 == 0 {
			if err := p.Deny(r.ID, "", By{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := p.Open(line(50)); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	other := line(50)
	other.Session.Key = "other"
	// A person isn't tired out by themselves.
	for i := range 2 * lockAfter {
		a := line(i)
		a.Session.Key, a.Session.Driver = "hand", session.Human
		open1(t, p, a)
	}
	if _, err := p.Open(other); err != nil {
		t.Error("another session is locked out:", err)
	}
	c.pass(lockWindow)
	if _, err := p.Open(line(50)); err != nil {
		t.Error("locked out for ever:", err)
	}
}

func TestOffer(t *testing.T) {
	dir := func(a access.Access) access.Access { a.Dir = true; return a }
	unknown := certain(access.Read, "/x/*")
	unknown.Certainty = access.Unknown
	self := access.Access{Kind: access.Self, Self: access.SelfAsk, Why: "trap"}
	silenced := ask("cat /x/f /x/g", certain(access.Read, "/x/f"), certain(access.Read, "/x/g"))
	silenced.Decision.Findings[0].Grant = "g1"
	command := ask("git push")
	command.Found.Commands = []access.Command{{}}
	command.Decision.Findings = []policy.Finding{{Gate: "bash", Action: policy.Ask, Access: -1, Command: 0, Name: "git push"}}
	read, write := access.Kinds(access.Read), access.Kinds(access.Write)
	for _, tt := range []struct {
		name  string
		a     Ask
		ans   Answer
		paths []PathGrant
		exact bool
		scope Scope
		fails string
	}{
		{name: "a file", a: ask("cat /x/f", certain(access.Read, "/x/f")), paths: []PathGrant{{Path: "/x/f", Kinds: read}}, scope: InSession},
		{name: "a directory, with what is below and not the parent", a: ask("rm -r /x/d", dir(certain(access.Write, "/x/d"))), paths: []PathGrant{{Path: "/x/d", Tree: true, Kinds: write}}, scope: InSession},
		{name: "one path, two kinds", a: ask("sed -i s/a/b/ /x/f", certain(access.Read, "/x/f"), certain(access.Write, "/x/f")), paths: []PathGrant{{Path: "/x/f", Kinds: read | write}}, scope: InSession},
		{name: "read only", a: ask("sed -i s/a/b/ /x/f", certain(access.Read, "/x/f"), certain(access.Write, "/x/f")), ans: Answer{Kinds: read}, paths: []PathGrant{{Path: "/x/f", Kinds: read}}, scope: InSession},
		{name: "a kind that isn't there", a: ask("cat /x/f", certain(access.Read, "/x/f")), ans: Answer{Kinds: write}, fails: "no path of this line"},
		{name: "its tree, asked for", a: ask("ls /x/d", certain(access.Read, "/x/d")), ans: Answer{Tree: true}, paths: []PathGrant{{Path: "/x/d", Tree: true, Kinds: read}}, scope: InSession},
		{name: "all of home, asked for", a: ask("ls ~", certain(access.Read, "/home/u")), ans: Answer{Tree: true}, fails: "too much"},
		{name: "home, listed", a: ask("ls ~", certain(access.Read, "/home/u")), paths: []PathGrant{{Path: "/home/u", Kinds: read}}, scope: InSession},
		{name: "a line that works on all of home", a: ask("rm -rf ~", dir(certain(access.Write, "/home/u"))), exact: true, scope: InSession},
		{name: "a line that works on /", a: ask("rm -rf /", dir(certain(access.Write, "/"))), exact: true, scope: InSession},
		{name: "unknown", a: ask("cat /x/$y", unknown), exact: true, scope: InSession},
		{name: "unknown, wider", a: ask("cat /x/$y", unknown), ans: Answer{Tree: true}, fails: "only be approved as it stands"},
		{name: "unknown, for a time", a: ask("cat /x/$y", unknown), ans: Answer{Scope: Until, For: time.Hour}, exact: true, scope: Until},
		{name: "no time", a: ask("cat /x", certain(access.Read, "/x")), ans: Answer{Scope: Until}, fails: "how long"},
		{name: "a command", a: command, exact: true, scope: InSession},
		{name: "the guard itself is never stored", a: ask("trap", self), ans: Answer{Scope: Until, For: time.Hour}, exact: true, scope: Once},
		{name: "once", a: ask("cat /x/f", certain(access.Read, "/x/f")), ans: Answer{Scope: Once}, paths: []PathGrant{{Path: "/x/f", Kinds: read}}, exact: true, scope: Once},
		{name: "once, with a silenced access that wasn't shown", a: silenced, ans: Answer{Scope: Once}, paths: []PathGrant{{Path: "/x/g", Kinds: read}}, exact: true, scope: Once},
		{name: "no repository", a: ask("cat /x/f", certain(access.Read, "/x/f")), ans: Answer{Repo: true}, fails: "no repository"},
	} {
		g, err := offer(tt.a, tt.ans)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: %+v, %v", tt.name, g, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if g.Scope != tt.scope || (g.Exact != nil) != tt.exact || len(g.Paths) != len(tt.paths) {
			t.Errorf("%s: %+v", tt.name, g)
			continue
		}
		for i := range g.Paths {
			if g.Paths[i] != tt.paths[i] {
				t.Errorf("%s: %+v, want %+v", tt.name, g.Paths[i], tt.paths[i])
			}
		}
	}
}

// Findings about the same thing are told once, and by the gate that says most.
func TestTellsOnce(t *testing.T) {
	path := &policy.Rule{Surface: "path", Pattern: "~/.aws", Action: policy.Ask, Origin: policy.Origin{Layer: "defaults"}}
	a := ask("tar xf a.tar -C /srv", certain(access.Write, "/srv"), certain(access.Write, "/srv"), certain(access.Read, "/srv"))
	a.Decision.Findings = append([]policy.Finding{{Gate: "path", Action: policy.Ask, Rule: path, Access: 0, Command: -1, Name: "/srv/.aws"}}, a.Decision.Findings...)
	text := Question(Request{Ask: a})
	if n := strings.Count(text, "write   /srv"); n != 1 {
		t.Errorf("told %d times:\n%s", n, text)
	}
	if !strings.Contains(text, "read    /srv") || strings.Contains(text, ".aws") {
		t.Errorf("\n%s", text)
	}
	got := Blocked("cd ..", a.Decision, a.Found, []string{"/code/app"})
	if want := "extdir: blocked: cd ..: /srv is outside /code/app (external_directory: no rule allows it)"; got != want {
		t.Errorf("\n%s\n%s", got, want)
	}
	// What is stricter decides all the same.
	a.Decision.Findings[0].Action = policy.Deny
	if got := Blocked("cd ..", a.Decision, a.Found, nil); !strings.Contains(got, ".aws") {
		t.Error(got)
	}
	rm := &policy.Rule{Surface: "bash", Pattern: "rm *", Action: policy.Deny, Origin: policy.Origin{Layer: "user", File: "/c.json", Line: 2}}
	d := policy.Decision{Findings: []policy.Finding{{Gate: "bash", Action: policy.Deny, Rule: rm, Access: -1, Command: 0, Name: "rm x"}}}
	l := access.Line{Commands: []access.Command{{}}}
	for line, want := range map[string]string{
		"rm x":       `extdir: blocked: rm x (rule "rm *": "deny", c.json:2)`,
		"rm x; ls":   `extdir: blocked: rm x; ls: rm x (rule "rm *": "deny", c.json:2)`,
		"rm x # now": `extdir: blocked: rm x # now: rm x (rule "rm *": "deny", c.json:2)`,
	} {
		if got := Blocked(line, d, l, nil); got != want {
			t.Errorf("\n%s\n%s", got, want)
		}
	}
}

func TestOffers(t *testing.T) {
	a := ask("cat /x", certain(access.Read, "/x"))
	if got := Offers(a.Decision, a.Found); !slices.Equal(got, []Scope{Once, InSession}) {
		t.Error(got)
	}
	for _, f := range []policy.Finding{
		{Gate: "built-in", Action: policy.Ask, Access: 0, Command: -1, Name: "/x"},
		{Gate: "path", Action: policy.Ask, Access: 1, Command: -1},
	} {
		b := ask("trap : DEBUG", certain(access.Read, "/x"))
		b.Found.Accesses = append(b.Found.Accesses, access.Access{Kind: access.Self})
		b.Decision.Findings = append(b.Decision.Findings, f)
		if got := Offers(b.Decision, b.Found); !slices.Equal(got, []Scope{Once}) {
			t.Errorf("%+v: %v", f, got)
		}
		if g, err := offer(b, Answer{}); err != nil || g.Scope != Once {
			t.Errorf("%+v is granted as %+v, %v", f, g, err)
		}
	}
}

func TestTexts(t *testing.T) {
	rule := &policy.Rule{Surface: "external_directory", Pattern: "/etc/*", Action: policy.Deny, Origin: policy.Origin{Layer: "user", File: "/home/u/.config/extdir/config.json", Line: 14}}
	a := certain(access.Read, "/etc/shadow")
	a.Why = "operand of cat"
	d := policy.Decision{Verdict: policy.VerdictBlock, Findings: []policy.Finding{{Gate: "external_directory", Action: policy.Deny, Rule: rule, Access: 0, Command: -1, Name: "/etc/shadow"}}}
	found := access.Line{Accesses: []access.Access{a}}
	got := Blocked("cat /etc/shadow", d, found, []string{"/code/app"})
	const want = `extdir: blocked: cat /etc/shadow: /etc/shadow is outside /code/app (rule "/etc/*": "deny", config.json:14)`
	if got != want {
		t.Errorf("\n%s\n%s", got, want)
	}
	evil := "cat /x\x1b[2J\u202e\u200b\r\n\xff"
	for _, text := range []string{
		Blocked(evil, d, found, nil),
		Denied(evil, evil),
		Follows(evil),
		Question(Request{Ask: Ask{Session: session.Session{Agent: evil, Key: "k"}, Line: evil, Cwd: evil, Found: access.Line{Accesses: []access.Access{{Typed: evil, Path: evil, Why: evil}}}, Decision: policy.Decision{Findings: []policy.Finding{{Action: policy.Ask, Gate: "path", Name: evil, Rule: &policy.Rule{Pattern: evil, Reason: evil}}}}}}),
	} {
		if strings.ContainsAny(text, "\x1b\u202e\u200b\r") || !utf8.ValidString(text) {
			t.Errorf("not escaped: %q", text)
		}
	}
	long := Blocked("echo "+strings.Repeat("x", 10000), d, found, nil)
	if strings.Contains(long, "\n") || len(long) > 1000 {
		t.Errorf("%d bytes", len(long))
	}
	q := Question(Request{Ask: Ask{Session: testSession, Line: "cat /etc/shadow", Cwd: "/code/app", Found: found, Decision: policy.Decision{Findings: []policy.Finding{{Gate: "external_directory", Action: policy.Ask, Access: 0, Command: -1}}}}})
	for _, part := range []string{"agent robot", "cat /etc/shadow", "read", "operand of cat", "session robot-1", "root /code/app", "no rule allows it"} {
		if !strings.Contains(q, part) {
			t.Errorf("the question doesn't say %q:\n%s", part, q)
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":    "plain text",
		"größe 日本":      "größe 日本",
		"a\tb\nc\rd":    `a\tb\nc\rd`,
		"\x1b[31m\x7f":  `\x1b[31m\x7f`,
		"\xff\xfe":      `\xff\xfe`,
		"a\u202eb":      "a<U+202E>b",
		"a\u200bb":      "a<U+200B>b",
		"a\u00a0b":      "a<U+00A0>b",
		"a\u3164b":      "a<U+3164>b",
		"a\ufe0fb":      "a<U+FE0F>b",
		"a\U000e0041b":  "a<U+E0041>b",
		"\u2066x\u2069": "<U+2066>x<U+2069>",
	} {
		if got := Escape(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestBurst(t *testing.T) {
	c := newClock()
	b := Burst{Now: c.now}
	if b.Follows("s", "t") {
		t.Error("follows nothing")
	}
	b.Refused("s", "t")
	if b.Follows("s", "other") || b.Follows("other", "t") {
		t.Error("another terminal or session")
	}
	for range 5 { // each refused line keeps the burst going
		c.pass(250 * time.Millisecond)
		if !b.Follows("s", "t") {
			t.Fatal("the burst ended early")
		}
	}
	c.pass(301 * time.Millisecond)
	if b.Follows("s", "t") {
		t.Error("the burst doesn't end")
	}
}

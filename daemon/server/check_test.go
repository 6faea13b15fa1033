package server

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/approval"
	"extdir/daemon/audit"
	"extdir/daemon/config"
	"extdir/daemon/policy"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

// world is a server with all its parts, whose analyzer reads a line word by word:
// an absolute path is an access, $NAME one that is known when the shell has told
// the variable, "alias" makes the line change the shell, "panic" panics, "hang"
// hangs. This process is the shell, and the anchor of an agent's session once it
// has sent "session".
type world struct {
	t    *testing.T
	o    Options
	path string
	log  string
	home string
	seq  int
}

func newWorld(t *testing.T, conf string) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, home: filepath.Join(dir, "home"), log: filepath.Join(dir, "decisions.jsonl")}
	must(t, os.Mkdir(w.home, 0o700))
	file := ""
	if conf != "" {
		file = filepath.Join(dir, "config.json")
		must(t, os.WriteFile(file, []byte(conf), 0o600))
	}
	c, problems := config.Load(config.Options{File: file, Home: w.home})
	for _, p := range problems {
		t.Fatal(p)
	}
	store, err := approval.Open(filepath.Join(dir, "grants.db"), approval.Options{})
	must(t, err)
	t.Cleanup(func() { store.Close() })
	sessions, err := session.NewManager(session.Config{Keep: store, UID: os.Geteuid()})
	must(t, err)
	log := audit.Open(w.log, audit.Options{})
	t.Cleanup(func() { log.Close() })
	w.o = Options{
		Analyze: readWords, Sessions: sessions, Config: c, Store: store,
		Pending: approval.NewPending(store), Audit: log, Home: w.home,
		Stop: func() {}, Reload: func() error { return nil },
	}
	w.path = serve(t, w.o, func(s *Server) { s.lim.judge = 200 * time.Millisecond })
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readWords(r analyze.Request) access.Line {
	var out access.Line
	at := 0
	for _, word := range strings.Split(r.Line, " ") {
		a := access.Access{Kind: access.Read, Why: "word", Start: at, End: at + len(word)}
		at += len(word) + 1
		if name, ok := strings.CutPrefix(word, "$"); ok {
			v, told := r.Vars[name]
			if !told {
				a.Certainty, a.External = access.Unknown, true
				out.Accesses, out.Dynamic = append(out.Accesses, a), true
				out.Needs = append(out.Needs, access.Need{Kind: "var", Name: name})
				continue
			}
			word = v.Value
		}
		switch {
		case word == "panic":
			panic("for the test")
		case word == "hang":
			time.Sleep(time.Second)
		case word == "alias":
			out.Changes = true
		case strings.HasPrefix(word, "/"):
			a.Typed, a.Path = word, word
			a.External = !slices.ContainsFunc(r.Roots, func(root string) bool { return strings.HasPrefix(word, root+"/") })
			out.Accesses = append(out.Accesses, a)
		}
	}
	return out
}

// agent makes this process an agent's session with one root.
func (w *world) agent() string {
	w.t.Helper()
	root := filepath.Join(w.home, "project")
	must(w.t, os.MkdirAll(root, 0o700))
	_, body := w.ask("session", "agent", "tester", "root", root, "cwd", root, "home", w.home)
	f, err := wire.ParseFields(body)
	must(w.t, err)
	r := wire.Request{Fields: f}
	if r.Get("id") == "" || r.Get("driver") != "agent" {
		w.t.Fatalf("session: %q", body)
	}
	return r.Get("id")
}

func (w *world) ask(kind string, kv ...string) (wire.Reply, []byte) {
	w.t.Helper()
	w.seq++
	return ask(w.t, w.path, kind, append([]string{"seq", strconv.Itoa(w.seq)}, kv...)...)
}

// check asks about a line typed in this process, which is known to have no
// aliases: names are told where they are asked for.
func (w *world) check(line string, kv ...string) wire.Reply {
	w.t.Helper()
	rep, _ := w.ask("check", append([]string{
		"line", line, "cwd", w.home, "home", w.home, "shell", "bash", "via", "ps0", "shpid", strconv.Itoa(os.Getpid()),
	}, kv...)...)
	if rep.Verdict == wire.NeedIt && w.detail(rep.Arg).Get("needs") == "names:*" {
		rep, _ = w.ask("tell", "id", rep.Arg, "names", "")
	}
	return rep
}

func (w *world) detail(id string) *wire.Request {
	w.t.Helper()
	_, body := w.ask("detail", "id", id)
	f, err := wire.ParseFields(body)
	must(w.t, err)
	return &wire.Request{Fields: f}
}

func (w *world) quiet() { time.Sleep(350 * time.Millisecond) } // the burst after a refusal is over

func TestCheckAgent(t *testing.T) {
	w := newWorld(t, `{"permission": {"external_directory": {"/open": "allow", "/shut": {"read": "deny", "reason": "keys stay private"}}}}`)
	key := w.agent()
	if rep := w.check("ls"); rep.Verdict != wire.Allow || rep.Seq != strconv.Itoa(w.seq) {
		t.Errorf("ls: %v", rep)
	}
	if rep := w.check("cat " + w.home + "/project/x /open/y"); rep.Verdict != wire.Allow {
		t.Errorf("inside and allowed: %v", rep)
	}
	rep := w.check("cat /shut/key")
	if rep.Verdict != wire.Block {
		t.Fatalf("denied: %v", rep)
	}
	d := w.detail(rep.Arg).Get("text")
	if !strings.HasPrefix(d, "extdir: blocked: cat /shut/key: /shut/key is outside ") || !strings.Contains(d, `"/shut": "deny", config.json:1`) ||
		!strings.Contains(d, "keys stay private") || !strings.HasSuffix(d, "\n") || strings.Count(d, "\n") != 1 {
		t.Errorf("the refusal reads %q", d)
	}
	// What follows within the burst isn't run, innocent as it is.
	rep = w.check("ls")
	if rep.Verdict != wire.Block || !strings.Contains(w.detail(rep.Arg).Get("text"), "follows a blocked line") {
		t.Errorf("after a refusal: %v", rep)
	}
	w.quiet()
	if rep := w.check("ls"); rep.Verdict != wire.Allow {
		t.Errorf("after the burst: %v", rep)
	}

	rep = w.check("cat /other/file")
	if rep.Verdict != wire.Prompt {
		t.Fatalf("asked about: %v", rep)
	}
	dt := w.detail(rep.Arg)
	if dt.Get("ask") != "outside" || dt.Get("wait") != "50000" || dt.Get("offer") != "once session" || !strings.Contains(dt.Get("text"), "extdird approve "+rep.Arg) {
		t.Errorf("detail of a question: %v", dt.Fields)
	}
	// Neither the agent's terminal nor its processes can approve.
	if r, _ := w.ask("answer", "id", rep.Arg, "choice", "once"); r.Verdict != wire.Block {
		t.Errorf("answer in an agent's terminal: %v", r)
	}
	if r, body := w.ask("approve", "id", rep.Arg); r.Verdict != wire.Body || len(body) == 0 {
		t.Errorf("approve from inside: %v %q", r, body)
	}
	for _, kind := range []string{"deny", "revoke", "stop", "root-add", "pause", "guard", "always"} {
		if r, body := w.ask(kind, "id", rep.Arg); r.Verdict != wire.Body || !strings.HasPrefix(string(body), "text=") {
			t.Errorf("%s from inside: %v %q", kind, r, body)
		}
	}
	// A person's approval lets the same line run, in this session alone.
	if _, err := w.o.Pending.Approve(rep.Arg, approval.Answer{}, approval.By{}); err != nil {
		t.Fatal(err)
	}
	w.quiet()
	if rep := w.check("cat /other/file"); rep.Verdict != wire.Allow {
		t.Errorf("approved: %v", rep)
	}
	if rep := w.check("cat /other/file2"); rep.Verdict != wire.Prompt {
		t.Errorf("beside what was approved: %v", rep)
	}
	_, body := w.ask("grants")
	var grants []GrantInfo
	must(t, json.Unmarshal(body, &grants))
	if len(grants) != 1 || grants[0].Session != key || grants[0].Paths[0].Path != "/other/file" || !grants[0].Saved {
		t.Errorf("grants: %s", body)
	}
	// All of it is in the log.
	w.o.Audit.Flush()
	entries, err := audit.Last(w.log, 100, 5, func(audit.Entry) bool { return true })
	must(t, err)
	counts := map[string]int{}
	for _, e := range entries {
		counts[e.Kind+" "+e.Verdict]++
	}
	if counts["check allow"] != 4 || counts["check block"] != 2 || counts["check prompt"] != 2 {
		t.Errorf("log: %v", counts)
	}
}

func TestFailuresNeverAllow(t *testing.T) {
	w := newWorld(t, "")
	w.agent()
	for _, c := range []struct {
		line, want, text string
		kv               []string
	}{
		{"panic", wire.Prompt, "internal error", nil},
		{"hang", wire.Prompt, "took too long to judge", nil},
		{strings.Repeat("x", maxLine+1), wire.Prompt, "too long to judge", nil},
		{"ls", wire.Block, "history is off", []string{"hist", "off"}},
	} {
		rep := w.check(c.line, c.kv...)
		if text := w.detail(rep.Arg).Get("text"); rep.Verdict != c.want || !strings.Contains(text, c.text) {
			t.Errorf("%.20s: %v %.200q", c.line, rep, text)
		}
		w.quiet()
	}
	// Neither what is no shell above the peer, nor one above the agent itself.
	for _, shpid := range []string{"", "0", "-1", "x", "1", "4000000", strconv.Itoa(os.Getppid())} {
		rep, _ := w.ask("check", "line", "cat /etc/x", "cwd", "/", "shell", "bash", "via", "ps0", "shpid", shpid)
		if rep.Verdict != wire.Block {
			t.Errorf("shpid %q: %v", shpid, rep)
		}
	}
	if rep, _ := w.ask("tell", "id", "nothing", "var.x", "/"); rep.Verdict != wire.Block {
		t.Errorf("tell out of nothing: %v", rep)
	}
}

func TestNeeds(t *testing.T) {
	w := newWorld(t, "")
	w.agent()
	pid := strconv.Itoa(os.Getpid())
	first, _ := w.ask("check", "line", "cat $x", "cwd", w.home, "home", w.home, "shell", "bash", "via", "ps0", "shpid", pid)
	if first.Verdict != wire.NeedIt || w.detail(first.Arg).Get("needs") != "names:*" {
		t.Fatalf("a shell that is new: %v", first)
	}
	second, _ := w.ask("tell", "id", first.Arg, "names", "ll f")
	if second.Verdict != wire.NeedIt || w.detail(second.Arg).Get("needs") != "var:x" {
		t.Fatalf("a variable: %v", second)
	}
	if rep, _ := w.ask("tell", "id", second.Arg, "var.x", w.home+"/project/file"); rep.Verdict != wire.Allow {
		t.Errorf("x is inside: %v", rep)
	}
	if rep, _ := w.ask("tell", "id", second.Arg, "var.x", w.home+"/project/file"); rep.Verdict != wire.Block {
		t.Errorf("the same need told twice: %v", rep)
	}
	w.quiet()
	// Names are remembered, values are not. What isn't told isn't asked again.
	third, _ := w.ask("check", "line", "cat $x", "cwd", w.home, "home", w.home, "shell", "bash", "via", "ps0", "shpid", pid)
	if third.Verdict != wire.NeedIt || w.detail(third.Arg).Get("needs") != "var:x" {
		t.Fatalf("a variable again: %v", third)
	}
	if rep, _ := w.ask("tell", "id", third.Arg); rep.Verdict != wire.Prompt {
		t.Errorf("nothing told: %v", rep)
	}
	// A line that may change aliases makes them unknown.
	if rep := w.check("alias"); rep.Verdict != wire.Allow {
		t.Errorf("alias: %v", rep)
	}
	if rep, _ := w.ask("check", "line", "ls", "cwd", w.home, "home", w.home, "shell", "bash", "via", "ps0", "shpid", pid); rep.Verdict != wire.NeedIt {
		t.Errorf("after a change: %v", rep)
	}
}

func TestWait(t *testing.T) {
	w := newWorld(t, `{"wait": "1s"}`)
	w.agent()
	// waiting asks about a line and waits on the same connection.
	waiting := func(line string) (id string, c net.Conn, done chan wire.Reply) {
		rep := w.check(line)
		if rep.Verdict != wire.Prompt {
			t.Fatalf("%s: %v", line, rep)
		}
		c, err := net.Dial("unix", w.path)
		must(t, err)
		_, err = c.Write((&wire.Request{Kind: "wait", Fields: []wire.Field{{Key: "id", Value: rep.Arg}}}).Append(nil))
		must(t, err)
		done = make(chan wire.Reply, 1)
		go func() {
			defer close(done)
			b := make([]byte, wire.ReplyLen)
			if _, err := io.ReadFull(c, b); err == nil {
				r, _ := wire.ParseReply(b)
				done <- r
			}
		}()
		deadline := time.Now().Add(5 * time.Second)
		for q, _ := w.o.Pending.Get(rep.Arg); q.Waiting == 0; q, _ = w.o.Pending.Get(rep.Arg) {
			if time.Now().After(deadline) {
				t.Fatal("nobody waits")
			}
			time.Sleep(time.Millisecond)
		}
		return rep.Arg, c, done
	}

	id, c, done := waiting("cat /a")
	_, err := w.o.Pending.Approve(id, approval.Answer{Scope: approval.Once}, approval.By{})
	must(t, err)
	if rep := <-done; rep.Verdict != wire.Allow {
		t.Errorf("approved: %v", rep)
	}
	c.Close()
	if rep := w.check("cat /a"); rep.Verdict != wire.Prompt {
		t.Errorf("once was used: %v", rep)
	}

	id, c, done = waiting("cat /b")
	must(t, w.o.Pending.Deny(id, "use the copy", approval.By{}))
	if rep := <-done; rep.Verdict != wire.Block || !strings.Contains(w.detail(rep.Arg).Get("text"), "use the copy") {
		t.Errorf("denied: %v", rep)
	}
	c.Close()
	w.quiet()

	id, c, done = waiting("cat /c")
	begin := time.Now()
	if rep := <-done; rep.Verdict != wire.Block || !strings.Contains(w.detail(rep.Arg).Get("text"), "extdird approve "+id) {
		t.Errorf("time out: %v", rep)
	}
	if d := time.Since(begin); d > 3*time.Second {
		t.Errorf("waited %v", d)
	}
	c.Close()
	if q, ok := w.o.Pending.Get(id); !ok || !q.Open {
		t.Error("a question is closed when its shell stops waiting")
	}
	w.quiet()

	// A peer that dies takes its question along; so does Ctrl-C.
	id, c, _ = waiting("cat /d")
	c.Close()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		if q, _ := w.o.Pending.Get(id); !q.Open {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the question outlives its shell")
		}
	}
	w.quiet()
	id, c, done = waiting("cat /e")
	if rep, _ := w.ask("cancel", "id", id); rep.Verdict != wire.OK {
		t.Errorf("cancel: %v", rep)
	}
	if rep := <-done; rep.Verdict != wire.Block {
		t.Errorf("cancelled: %v", rep)
	}
	c.Close()
	if rep, _ := w.ask("wait", "id", "zzz"); rep.Verdict != wire.Block {
		t.Errorf("wait for nothing: %v", rep)
	}
}

// A question that a person's own shell asks is put to its terminal, and only in
// sessions that are asked. Who drives the shell of this test is decided by what
// is above it: where that is an agent, it is treated as one.
func TestHuman(t *testing.T) {
	w := newWorld(t, `{"human": "ask"}`)
	rep := w.check("cat /other")
	if rep.Verdict != wire.Prompt {
		t.Fatalf("asked: %v", rep)
	}
	where := map[string]string{session.Human: "terminal", session.Agent: "outside"}
	driver := w.o.Sessions.Sessions()[0].Driver
	if d := w.detail(rep.Arg); d.Get("ask") != where[driver] || !strings.Contains(d.Get("text"), "/other") {
		t.Errorf("detail for driver %s: %v", driver, d.Fields)
	}
	if driver == session.Agent {
		return
	}
	w = newWorld(t, `{"permission": {"external_directory": {"/shut": "deny"}}, "human": "observe"}`)
	if rep := w.check("cat /other"); rep.Verdict != wire.Allow {
		t.Errorf("observed: %v", rep)
	}
	if rep := w.check("ls", "hist", "off"); rep.Verdict != wire.Allow {
		t.Errorf("unseen in a session that only observes: %v", rep)
	}
	if rep := w.check("cat /shut"); rep.Verdict != wire.Block {
		t.Errorf("denied in a session that only observes: %v", rep)
	}
}

func TestExplainAndLists(t *testing.T) {
	w := newWorld(t, "")
	key := w.agent()
	_, body := w.ask("explain", "line", "cat /etc/x", "cwd", w.home, "home", w.home, "shell", "bash", "root", "/r")
	var e struct {
		Verdict  string
		Paths    []string
		Roots    []string
		Findings []struct{ Gate, Action string }
	}
	must(t, json.Unmarshal(body, &e))
	if e.Verdict != "prompt" || !slices.Equal(e.Paths, []string{"/etc/x"}) || !slices.Equal(e.Roots, []string{"/r"}) || len(e.Findings) == 0 {
		t.Errorf("explain: %s", body)
	}
	var list []SessionInfo
	_, body = w.ask("sessions")
	must(t, json.Unmarshal(body, &list))
	if len(list) != 1 || list[0].ID != key || !list[0].Yours || list[0].Mode != "ask" {
		t.Errorf("sessions: %s", body)
	}
	var st Status
	_, body = w.ask("status")
	must(t, json.Unmarshal(body, &st))
	if st.Session != key || st.Sessions != 1 || st.Pid != os.Getpid() {
		t.Errorf("status: %s", body)
	}
	w.check("cat /etc/x")
	var pend []PendingInfo
	_, body = w.ask("pending")
	must(t, json.Unmarshal(body, &pend))
	if len(pend) != 1 || pend[0].Line != "cat /etc/x" || len(pend[0].Findings) == 0 || !strings.Contains(pend[0].Question, "/etc/x") {
		t.Errorf("pending: %s", body)
	}
	var root RootInfo
	_, body = w.ask("root", "cwd", w.home)
	must(t, json.Unmarshal(body, &root))
	if root.Session != key || len(root.Roots) != 1 {
		t.Errorf("root: %s", body)
	}
	if rep, _ := w.ask("hello", "shell", "bash", "version", "5.2", "shpid", strconv.Itoa(os.Getpid())); rep.Verdict != wire.OK {
		t.Errorf("hello: %v", rep)
	}
}

func TestDeclared(t *testing.T) {
	for _, c := range []struct {
		text string
		want analyze.Var
		ok   bool
	}{
		{`declare -- v="a b"`, analyze.Var{Set: true, Value: "a b"}, true},
		{`declare -x v="a\$b\"c"`, analyze.Var{Set: true, Exported: true, Value: `a$b"c`}, true},
		{`declare -a v=([0]="a" [1]="b c")`, analyze.Var{Set: true, List: []string{"a", "b c"}}, true},
		{`declare -A v=([k]="1" ["a b"]="2" )`, analyze.Var{Set: true, Map: map[string]string{"k": "1", "a b": "2"}}, true},
		{`declare -a v=([0]=$'x\ny' [1]=$'\001\'')`, analyze.Var{Set: true, List: []string{"x\ny", "\x01'"}}, true},
		{`declare -a v=()`, analyze.Var{Set: true, List: []string{}}, true},
		{`declare -a v=([1]="hole")`, analyze.Var{}, false},
		{`declare -n v="other"`, analyze.Var{Set: true, Ref: true, Value: "other"}, true},
		{`declare -a v=([0]="$(id)")`, analyze.Var{}, false},
		{`declare -- w="a"`, analyze.Var{}, false},
		{`v=1`, analyze.Var{}, false},
		{`declare -- v="a"; rm x`, analyze.Var{}, false},
	} {
		got, ok := declared("v", c.text)
		if ok != c.ok || ok && (got.Value != c.want.Value || got.Exported != c.want.Exported || got.Ref != c.want.Ref || !slices.Equal(got.List, c.want.List) || len(got.Map) != len(c.want.Map) || got.Map["a b"] != c.want.Map["a b"]) {
			t.Errorf("%s: %+v, %v", c.text, got, ok)
		}
	}
}

// A request that is sent while a line waits ends the waiting, is answered after
// it, and leaves the question open.
func TestRequestWhileWaiting(t *testing.T) {
	w := newWorld(t, "")
	w.agent()
	rep := w.check("cat /a")
	nc, err := net.Dial("unix", w.path)
	must(t, err)
	defer nc.Close()
	must(t, nc.SetDeadline(time.Now().Add(10*time.Second)))
	send := func(kind, seq string) {
		r := wire.Request{Kind: kind, Fields: []wire.Field{{Key: "id", Value: rep.Arg}, {Key: "seq", Value: seq}}}
		if _, err := nc.Write(r.Append(nil)); err != nil {
			t.Fatal(err)
		}
	}
	receive := func() wire.Reply {
		b := make([]byte, wire.ReplyLen)
		if _, err := io.ReadFull(nc, b); err != nil {
			t.Fatal(err)
		}
		r, err := wire.ParseReply(b)
		must(t, err)
		return r
	}
	for round := range 3 {
		send("wait", "1")
		time.Sleep(time.Duration(round) * 20 * time.Millisecond)
		send("ping", "2")
		if r := receive(); r.Seq != "1" || r.Verdict != wire.Block {
			t.Errorf("wait: %v", r)
		}
		if r := receive(); r.Seq != "2" || r.Verdict != wire.OK {
			t.Errorf("ping: %v", r)
		}
		if q, ok := w.o.Pending.Get(rep.Arg); !ok || !q.Open {
			t.Error("the question is closed")
		}
	}
	// Half a request in the middle of waiting is completed afterwards.
	send("wait", "3")
	half := (&wire.Request{Kind: "ping", Fields: []wire.Field{{Key: "seq", Value: "4"}}}).Append(nil)
	nc.Write(half[:9])
	time.Sleep(20 * time.Millisecond)
	must(t, w.o.Pending.Deny(rep.Arg, "", approval.By{}))
	if r := receive(); r.Seq != "3" || r.Verdict != wire.Block {
		t.Errorf("wait: %v", r)
	}
	nc.Write(half[9:])
	if r := receive(); r.Seq != "4" || r.Verdict != wire.OK {
		t.Errorf("the rest: %v", r)
	}
}

// The rule for good is the path that was asked about, and no more.
func TestRuleForAlways(t *testing.T) {
	dir := t.TempDir()
	ask := func(accesses ...access.Access) approval.Request {
		line := access.Line{Accesses: accesses}
		var d policy.Decision
		for i := range accesses {
			d.Findings = append(d.Findings, policy.Finding{Gate: "external_directory", Action: policy.Ask, Access: i, Command: -1})
		}
		return approval.Request{Ask: approval.Ask{Found: line, Decision: d}}
	}
	file := access.Access{Typed: "/srv/a[1]", Path: "/srv/a[1]", Kind: access.Read, External: true}
	write := file
	write.Kind = access.Write
	folder := access.Access{Typed: dir, Path: dir, Kind: access.Read, External: true}
	whole := folder
	whole.Dir = true
	home := access.Access{Path: "/home", Kind: access.Read, External: true, Dir: true}
	unknown := access.Access{Typed: "/srv/*", Path: "/srv/*", Certainty: access.Unknown, Kind: access.Read, External: true}
	other := access.Access{Path: "/srv/b", Kind: access.Read, External: true}
	command := ask(file)
	command.Decision.Findings[0].Gate = "bash"
	for _, c := range []struct {
		q     approval.Request
		kinds access.Kinds
		tree  bool
		want  policy.Entry
		err   string
	}{
		{ask(file), 0, false, policy.Entry{Pattern: `/srv/a\[1]`, Read: policy.Allow}, ""},
		{ask(file, write), 0, false, policy.Entry{Pattern: `/srv/a\[1]`, Read: policy.Allow, Write: policy.Allow}, ""},
		{ask(file, write), access.Kinds(access.Read), false, policy.Entry{Pattern: `/srv/a\[1]`, Read: policy.Allow}, ""},
		{ask(file), access.Kinds(access.Write), false, policy.Entry{}, "accessed as write only"},
		{ask(folder), 0, false, policy.Entry{}, "add --tree"},
		{ask(folder), 0, true, policy.Entry{Pattern: dir, Read: policy.Allow}, ""},
		{ask(whole), 0, false, policy.Entry{Pattern: dir, Read: policy.Allow}, ""},
		{ask(home), 0, true, policy.Entry{}, "too much"},
		{ask(unknown), 0, false, policy.Entry{}, "isn't known to the letter"},
		{ask(file, other), 0, false, policy.Entry{}, "more than one path"},
		{command, 0, false, policy.Entry{}, "by the bash gate"},
		{ask(), 0, false, policy.Entry{}, "nothing in it"},
	} {
		got, _, err := rule(c.q, c.kinds, c.tree, "/home/u")
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: %v, want %q", c.q.Found.Accesses, err, c.err)
			}
			continue
		}
		c.want.Surface = "external_directory"
		if err != nil || got != c.want {
			t.Errorf("%v: %+v, %v", c.q.Found.Accesses, got, err)
		}
	}
}

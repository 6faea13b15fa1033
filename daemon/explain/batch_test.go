package explain

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/command"
	"extdir/daemon/policy"
	"extdir/daemon/resolve"
)

func newBatch(t testing.TB) *Batch {
	t.Helper()
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p, problems := policy.Compile(nil, policy.Env{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &Batch{
		Analyzer: &analyze.Analyzer{FS: resolve.Rooted(t.TempDir()), Commands: table},
		Policy:   func(_, _, _ string) *policy.Policy { return p },
	}
}

func TestOrderIsKept(t *testing.T) {
	const n = 500
	var in strings.Builder
	for i := range n {
		// Of very different cost, so that answers are ready out of order.
		fmt.Fprintf(&in, `{"id":%d,"cmd":"cat %s/etc/f%d","cwd":"/w","home":"/home/u"}`+"\n", i, strings.Repeat("a ", i%7*50), i)
	}
	var out strings.Builder
	if err := newBatch(t).Run(strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != n {
		t.Fatalf("%d answers to %d questions", len(lines), n)
	}
	for i, l := range lines {
		var a struct {
			ID    int
			Paths []string
		}
		if err := json.Unmarshal([]byte(l), &a); err != nil {
			t.Fatal(err)
		}
		if a.ID != i || !slices.Equal(a.Paths, []string{fmt.Sprintf("/etc/f%d", i)}) {
			t.Fatalf("answer %d is %s", i, l)
		}
	}
}

// A program may write one line, wait for its answer, and go on.
func TestConversation(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- newBatch(t).Run(inR, outW); outW.Close() }()
	r := bufio.NewReader(outR)
	for i := range 5 {
		fmt.Fprintf(inW, `{"id":%d,"cmd":"ls","cwd":"/w"}`+"\n", i)
		got := make(chan string, 1)
		go func() { s, _ := r.ReadString('\n'); got <- s }()
		select {
		case s := <-got:
			if !strings.HasPrefix(s, fmt.Sprintf(`{"id":%d,`, i)) {
				t.Fatalf("got %q", s)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no answer before the end of input")
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

func TestReaderGone(t *testing.T) {
	in := strings.Repeat(`{"id":1,"cmd":"ls","cwd":"/w"}`+"\n", 5000)
	if err := newBatch(t).Run(strings.NewReader(in), brokenPipe{}); err == nil || !strings.Contains(err.Error(), "nobody reads") {
		t.Errorf("got %v", err)
	}
}

// Whatever is wrong with a question, it has an answer, and that is never allow.
func TestBadQuestions(t *testing.T) {
	b := newBatch(t)
	panics := *b
	panics.Policy = func(_, _, _ string) *policy.Policy { panic("for the test") }
	for _, c := range []struct {
		b    *Batch
		line string
		want string
	}{
		{b, `{`, "not a question"},
		{b, `[]`, "not a question"},
		{b, `{"cmd":1}`, "not a question"},
		{b, `{"id":1,"cmd":"ls"} {}`, "not a question"},
		{b, `{"id":1,"cmd":"ls"}`, "cwd must be"},
		{b, `{"id":1,"cwd":"/w"}`, "cmd is missing"},
		{b, `{"id":1,"cmd":null,"cwd":"/w"}`, "cmd is missing"},
		{b, "{\"cmd\":\"cat \xff\",\"cwd\":\"/w\"}", "no UTF-8"},
		{b, `{"cmd":"cat \ud800","cwd":"/w"}`, "surrogate"},
		{b, `{"cmd":"cat a\u0000b","cwd":"/w"}`, "NUL"},
		{b, `{"cmd":"ls","cwd":"/w","home":"u"}`, "home must be"},
		{b, `{"cmd":"ls ` + strings.Repeat("x", 5<<20) + `","cwd":"/w"}`, "longer than 4194304 bytes"},
		{b, `{"cmd":"ls ` + strings.Repeat("x", 300<<10) + `","cwd":"/w"}`, "longer than 262144 bytes"},
		{b, `{"id":1,"cmd":"ls","cwd":"w"}`, "cwd must be"},
		{b, `{"id":1,"cmd":"ls","cwd":"/w","shell":"fish"}`, "shell is"},
		{b, `{"id":1,"cmd":"ls","cwd":"/w","root":"w"}`, "root w"},
		{b, `{"id":1,"cmd":"ls (","cwd":"/w"}`, "parse"},
		{&panics, `{"id":1,"cmd":"ls","cwd":"/w"}`, "internal error"},
	} {
		var a answered
		if err := json.Unmarshal(c.b.answer([]byte(c.line)), &a); err != nil {
			t.Errorf("%s: %v", c.line, err)
		}
		if a.Verdict != "prompt" || !a.Dynamic || !strings.Contains(a.Error, c.want) {
			t.Errorf("%s: %+v", c.line, a)
		}
	}
}

func TestPaths(t *testing.T) {
	line := access.Line{Accesses: []access.Access{
		{Typed: "/w/link/x", Path: "/etc/x", External: true},      // typed inside, leads out
		{Typed: "/tmp/y", Path: "/private/tmp/y", External: true}, // typed outside
		{Typed: "/w/in", Path: "/w/in"},
		{Typed: "/etc/*", Certainty: access.Unknown, External: true, Path: "/etc/*"},
		{Certainty: access.Unknown, External: true}, // unknown anywhere has no name
		{Typed: "/tmp/y", Path: "/private/tmp/y", External: true},
		{Typed: "/opt/tool", Path: "/opt/tool", Kind: access.Execute, External: true},
		{Kind: access.Self, External: true},
	}}
	got := Answered(line, []string{"/w"}, policy.VerdictPrompt).Paths
	if want := []string{"/etc/*", "/etc/x", "/opt/tool", "/tmp/y"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Answered(access.Line{}, nil, policy.VerdictAllow); got.Paths == nil || got.Accesses == nil {
		t.Error("empty lists are null in JSON")
	}
}

func TestOutside(t *testing.T) {
	for _, c := range []struct {
		roots []string
		name  string
		want  bool
	}{
		{nil, "/w", true},
		{[]string{"/w"}, "/w", false},
		{[]string{"/w"}, "/w/x", false},
		{[]string{"/w"}, "/wx", true},
		{[]string{"/w"}, "/", true},
		{[]string{"/w", "/v"}, "/v/x", false},
		{[]string{"/"}, "/any", false},
	} {
		if got := Outside(c.roots, c.name); got != c.want {
			t.Errorf("%v %s: %v", c.roots, c.name, got)
		}
	}
}

// What isn't known of a question is no fault of it, and none ends the batch.
func TestOddQuestions(t *testing.T) {
	in := strings.Join([]string{
		`{"id":1,"cmd":"","cwd":"/w"}`,
		``,
		`{"id":2,"cmd":"ls","cwd":"/w","mood":"good"}`,
		`{"id":3,"cmd":"ls ` + strings.Repeat("x", 5<<20) + `","cwd":"/w"}`,
		"\x00\xff",
		`{"id":4,"cmd":"cat \ufffd","cwd":"/w","env":{}}`,
		`{"id":{"a":[5]},"cmd":"ls","cwd":"/not/there"}`,
		`{"id":6,"cmd":"ls","cwd":"/w","root":"w"}`,
		`{"id":7,"cmd":"ls","cwd":"/w"}`, // no newline behind it
	}, "\n")
	var out strings.Builder
	if err := newBatch(t).Run(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for l := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		var a answered
		if err := json.Unmarshal([]byte(l), &a); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		got = append(got, string(a.ID)+" "+a.Verdict)
	}
	want := []string{"1 allow", "2 allow", "null prompt", "null prompt", "4 allow", `{"a":[5]} allow`, "6 prompt", "7 allow"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

package hook_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"extdir/hook/wire"
	"extdir/integration/term"
)

// Two builds of one program: as released, answering before the runtime starts,
// and as `go build` makes it. Every case is run with both.
var builds = map[string]string{"ahead": term.ReleaseFlags(), "plain": ""}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hook")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for name, flags := range builds {
		builds[name] = filepath.Join(dir, name)
		if out, err := exec.Command("go", "build", "-ldflags="+flags, "-o", builds[name], "extdir/cmd/extdir-hook").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "cannot build extdir-hook: %v\n%s", err, out)
			os.Exit(1)
		}
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// result is what a shell sees of one run.
type result struct {
	status   int
	out, err string
}

func run(t *testing.T, d *term.Daemon, build, dir, input string, env []string, words ...string) result {
	t.Helper()
	cmd := exec.Command(builds[build], append([]string{"socket=" + d.Socket}, words...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=/home/tester"}, env...)
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func fields(kv ...string) string { return strings.Join(kv, "\x00") + "\x00" }

// history is what bash hands over of line number n.
func history(n int, text string, more ...string) string {
	return fields(append([]string{"trap=", "via=x", fmt.Sprintf("number=%d", n), "", "shpid=1"}, more...)...) +
		fmt.Sprintf("history=%5d  %s\n", n, text)
}

func TestCheck(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct {
		name, input string
		env, words  []string
		status      int
		line, hist  string // as the daemon saw them
		stderr      string // a part of it
	}{
		{name: "a line on standard input", input: fields("line=ls"), line: "ls"},
		{name: "a line in the environment", env: []string{"EXTDIR_LINE=ls -l"}, line: "ls -l"},
		{name: "an empty line", input: fields("line="), line: ""},
		{name: "from the history", input: history(12, "ls"), line: "ls"},
		{name: "a changed entry", input: "number=3\x00history=    3* ls\n", line: "ls"},
		{name: "several lines", input: history(12, "for i in 1\ndo # c\nls\ndone"), line: "for i in 1\ndo # c\nls\ndone"},
		{name: "a line that ends with newlines", input: history(12, "cat <<E\nE\n"), line: "cat <<E\nE\n"},
		{name: "a number of six digits", input: history(123456, "ls"), line: "ls"},
		{name: "a line of blanks and bytes", input: history(1, "  \xff\xfe ä"), line: "  \xff\xfe ä"},
		{name: "another number", input: "number=13\x00history=   12  ls\n", hist: "off"},
		{name: "a number that only begins so", input: "number=1\x00history=   12  ls\n", hist: "off"},
		{name: "an empty history", input: "number=13\x00history=", hist: "off"},
		{name: "history off", input: fields("number=13", "hist=off"), hist: "off"},
		{name: "nothing at all", hist: "off"},
		{name: "refused", input: fields("line=BLOCK"), line: "BLOCK", status: 126, stderr: "extdir: blocked: the line holds"},
		{name: "a reply that is none", input: fields("line=GARBAGE"), line: "GARBAGE", status: 126, stderr: "don't understand each other"},
		{name: "long", input: fields("line=" + long), line: long},
		{name: "long, refused", input: fields("line=BLOCK" + long), line: "BLOCK" + long, status: 126},
		{name: "long, from the history", input: history(9, long), line: long},
		{name: "too long", input: fields("line=" + strings.Repeat("x", 3<<20)), status: 126, stderr: "longer than 1 MiB", line: "none"},
		{name: "words that are no fields", input: "line", status: 126, stderr: "start a new shell", line: "none"},
		{name: "argument without =", words: []string{"check2"}, status: 126, stderr: "extdird init", line: "none"},
		{name: "HISTCONTROL, a line that stays", input: history(2, "ls", "histcontrol=ignoreboth", "previous=    1  pwd\n    2  ls\n"), line: "ls"},
		{name: "HISTCONTROL, the only line", input: history(1, "ls", "histcontrol=ignoreboth", "previous=    1  ls\n"), line: "ls"},
	} {
		for build := range builds {
			t.Run(c.name+"/"+build, func(t *testing.T) {
				d := term.NewDaemon(t)
				dir := term.TempDir(t)
				status := c.status
				if c.hist == "off" {
					status = 126
				}
				r := run(t, d, build, dir, c.input, c.env, append([]string{"check", "shell=bash"}, c.words...)...)
				if r.status != status || !strings.Contains(r.err, c.stderr) || r.out != "" || status == 0 && r.err != "" {
					t.Fatalf("%+v", r)
				}
				req := d.Requests("check")
				if c.line == "none" {
					if len(req) != 0 {
						t.Fatalf("%d checks", len(req))
					}
					return
				}
				if len(req) != 1 {
					t.Fatalf("%d checks", len(req))
				}
				if have := req[0].Get("line"); have != c.line {
					t.Errorf("line %.80q, want %.80q", have, c.line)
				}
				if req[0].Get("hist") != c.hist || req[0].Get("cwd") != dir || req[0].Get("shell") != "bash" {
					t.Errorf("%.300q", req[0].Fields)
				}
				for _, f := range req[0].Fields {
					if slices.Contains([]string{"socket", "trap", "number", "history", "previous", "histcontrol", "dropfile", "needfile"}, f.Key) {
						t.Errorf("the daemon was sent %s", f.Key)
					}
				}
			})
		}
	}
}

// TestPrivate: what the user's HISTCONTROL would have left out is reported.
func TestPrivate(t *testing.T) {
	for _, c := range []struct {
		name, line, control, previous string
		want                          bool
	}{
		{"leading blank", " ls", "ignorespace", "", true},
		{"leading blank, both", " ls", "ignoreboth", "", true},
		{"leading blank, other rule", " ls", "ignoredups", "", false},
		{"the same again", "ls", "ignoredups", "ls", true},
		{"the same again, among others", "ls", "erasedups:ignoredups", "ls", true},
		{"the end is the same", "ls", "ignoredups", "echo ls", false},
		{"the same lines again", "a\nb", "ignoredups", "a\nb", true},
		{"nothing to hide", "ls", "ignoreboth", "pwd", false},
	} {
		for build := range builds {
			t.Run(c.name+"/"+build, func(t *testing.T) {
				d := term.NewDaemon(t)
				dir := term.TempDir(t)
				drop := filepath.Join(dir, "drop")
				this := fmt.Sprintf("%5d  %s\n", 8, c.line)
				before := ""
				if c.previous != "" {
					before = fmt.Sprintf("%5d  %s\n", 7, c.previous)
				}
				r := run(t, d, build, dir, fields("trap=", "via=x", "number=8", "histcontrol="+c.control, "dropfile="+drop, "previous="+before+this)+"history="+this, nil, "check")
				if r.status != 0 {
					t.Fatalf("%+v", r)
				}
				b, _ := os.ReadFile(drop)
				if have := string(b) == "8\n"; have != c.want {
					t.Errorf("drop file %q", b)
				}
			})
		}
	}
}

func TestNeed(t *testing.T) {
	for build := range builds {
		t.Run(build, func(t *testing.T) {
			d := term.NewDaemon(t)
			d.SetNeeds("var:x names:*")
			dir := term.TempDir(t)
			if r := run(t, d, build, dir, fields("line=NEED"), nil, "check"); r.status != 98 || r.out != "d1\n" {
				t.Fatalf("%+v", r)
			}
			file := filepath.Join(dir, "need")
			if r := run(t, d, build, dir, fields("line=NEED"), nil, "check", "needfile="+file); r.status != 98 || r.out != "" {
				t.Fatalf("%+v", r)
			}
			if b, _ := os.ReadFile(file); string(b) != "d2\n" {
				t.Fatalf("need file %q", b)
			}
			if r := run(t, d, build, dir, "", nil, "needs", "id=d2"); r.status != 0 || r.out != "var:x names:*\n" {
				t.Fatalf("%+v", r)
			}
			if r := run(t, d, build, dir, fields("var.x=1"), nil, "tell", "id=d2"); r.status != 0 || r.err != "" {
				t.Fatalf("%+v", r)
			}
			if r := run(t, d, build, dir, fields("var.x=BLOCK"), nil, "tell", "id=d2"); r.status != 126 {
				t.Fatalf("%+v", r)
			}
			if n := len(d.Requests("tell")); n != 2 {
				t.Fatalf("%d tells", n)
			}
		})
	}
}

func TestPrompt(t *testing.T) {
	for build := range builds {
		t.Run(build, func(t *testing.T) {
			d := term.NewDaemon(t)
			dir := term.TempDir(t)
			go d.Answer("once")
			if r := run(t, d, build, dir, fields("line=ASK"), nil, "check"); r.status != 0 || !strings.Contains(r.err, "a person is asked") {
				t.Fatalf("%+v", r)
			}
			go d.Answer("deny")
			if r := run(t, d, build, dir, fields("line=ASK"), nil, "check"); r.status != 126 || !strings.Contains(r.err, "a person said no") {
				t.Fatalf("%+v", r)
			}
			// no terminal: the question goes elsewhere even if it could be put here
			d.SetWait(100 * time.Millisecond)
			if r := run(t, d, build, dir, fields("line=ASKTTY"), nil, "check"); r.status != 126 || !strings.Contains(r.err, "waiting for a person") {
				t.Fatalf("%+v", r)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	for build := range builds {
		t.Run("no daemon/"+build, func(t *testing.T) {
			d := term.NewDaemon(t)
			d.Stop()
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check"); r.status != 126 || !strings.Contains(r.err, "extdird is not running") {
				t.Fatalf("%+v", r)
			}
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check", "fail=open"); r.status != 0 || !strings.Contains(r.err, "not judged") {
				t.Fatalf("%+v", r)
			}
		})
		t.Run("a directory that others can enter/"+build, func(t *testing.T) {
			d := term.NewDaemon(t)
			if err := os.Chmod(filepath.Dir(d.Socket), 0o755); err != nil {
				t.Fatal(err)
			}
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check", "fail=open"); r.status != 126 || len(d.Checked()) != 0 {
				t.Fatalf("%+v", r)
			}
		})
		t.Run("a slow verdict is asked for once/"+build, func(t *testing.T) {
			d := term.NewDaemon(t)
			wake := d.Hang()
			time.AfterFunc(300*time.Millisecond, wake)
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check"); r.status != 0 || r.err != "" {
				t.Fatalf("%+v", r)
			}
			if n := len(d.Requests("check")); n != 1 {
				t.Fatalf("%d checks", n)
			}
		})
		t.Run("hung/"+build, func(t *testing.T) {
			d := term.NewDaemon(t)
			wake := d.Hang()
			defer wake()
			begin := time.Now()
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check"); r.status != 126 || !strings.Contains(r.err, "does not answer") {
				t.Fatalf("%+v", r)
			}
			if took := time.Since(begin); took > 1500*time.Millisecond {
				t.Errorf("took %v", took)
			}
			if _, err := os.Stat(d.Socket + ".hung"); err != nil {
				t.Error("the hung daemon was not marked")
			}
			begin = time.Now()
			run(t, d, build, "/", fields("line=ls"), nil, "check")
			if took := time.Since(begin); took > 500*time.Millisecond {
				t.Errorf("the second line took %v", took)
			}
		})
		for _, c := range []struct {
			words           []string
			args, home, xdg string
		}{
			{[]string{"dir=/some/dir"}, "serve --dir /some/dir", "/home/tester", "/run/x"},
			{[]string{"dir=/some/dir", "keep=HOME=/a", "keep=TMPDIR=/b"}, "serve --dir /some/dir", "/a", ""},
			{[]string{"config=/c/f", "state=/s", "keep=HOME=/a"}, "serve --socket SOCKET --config-file /c/f --state-dir /s", "/a", ""},
			{[]string{"config=/c/f", "state=/s"}, "serve --socket SOCKET --config-file /c/f --state-dir /s", "", ""},
		} {
			t.Run("started "+strings.Join(c.words, " ")+"/"+build, func(t *testing.T) {
				d := term.NewDaemon(t)
				d.Stop()
				dir := term.TempDir(t)
				// A stand-in for extdird that shows how it was started.
				exe := filepath.Join(dir, "extdird")
				term.Program(t, exe, []byte("#!/bin/sh\n{ echo \"$@\"; pwd; umask; env | sort; ls /proc/self/fd | wc -l; } >"+dir+"/seen.new\nmv "+dir+"/seen.new "+dir+"/seen\n"))
				go func() {
					for range 1000 {
						if _, err := os.Stat(dir + "/seen"); err == nil {
							d.Start()
							return
						}
						time.Sleep(5 * time.Millisecond)
					}
				}()
				var r result
				for range 20 { // a machine under load is slower than the hook is patient
					r = run(t, d, build, "/", fields("line=ls"), []string{"LD_PRELOAD=", "SECRET=1", "XDG_RUNTIME_DIR=/run/x", "LANG=C"}, append([]string{"check", "extdird=" + exe}, c.words...)...)
					if r.status == 0 {
						break
					}
				}
				if r.status != 0 || r.err != "" {
					t.Fatalf("%+v", r)
				}
				b, _ := os.ReadFile(dir + "/seen")
				seen := string(b)
				variable := func(name string) string {
					_, after, _ := strings.Cut(seen, "\n"+name+"=")
					value, _, _ := strings.Cut(after, "\n")
					return value
				}
				if !strings.HasPrefix(seen, strings.Replace(c.args, "SOCKET", d.Socket, 1)+"\n/\n0077\n") || strings.Contains(seen, "SECRET") ||
					variable("XDG_RUNTIME_DIR") != c.xdg || variable("HOME") != c.home || variable("LANG") != "C" {
					t.Errorf("%s", seen)
				}
				for _, f := range d.Requests("check")[0].Fields {
					if slices.Contains([]string{"config", "state", "keep"}, f.Key) {
						t.Errorf("the daemon was sent %s", f.Key)
					}
				}
			})
		}
	}
}

// TestGone: a daemon that dies while it is asked. A check is put once more; what
// hangs on an id that died with it is refused, also by a user who chose that lines
// pass without a daemon.
func TestGone(t *testing.T) {
	const again = "run the line again"
	for build := range builds {
		start := func(t *testing.T) (*term.Daemon, string) {
			d := term.NewDaemon(t)
			return d, "extdird=" + d.Revived()
		}
		t.Run("check/"+build, func(t *testing.T) {
			d, exe := start(t)
			d.DieOf("check", 1)
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check", exe); r.status != 0 || r.err != "" {
				t.Fatalf("%+v", r)
			}
			d.DieOf("check", 1)
			if r := run(t, d, build, "/", fields("line=BLOCK"), nil, "check", exe); r.status != 126 || !strings.Contains(r.err, "forbidden word") {
				t.Fatalf("%+v", r)
			}
			if n := len(d.Requests("check")); n != 4 {
				t.Errorf("%d checks", n)
			}
		})
		t.Run("check, over and over/"+build, func(t *testing.T) {
			d, exe := start(t)
			d.DieOf("check", 9)
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check", exe); r.status != 126 || !strings.Contains(r.err, "status") {
				t.Fatalf("%+v", r)
			}
			if n := len(d.Requests("check")); n != 2 {
				t.Errorf("%d checks", n)
			}
		})
		t.Run("check, nothing to start/"+build, func(t *testing.T) {
			d := term.NewDaemon(t)
			d.DieOf("check", 1)
			if r := run(t, d, build, "/", fields("line=ls"), nil, "check"); r.status != 126 || !strings.Contains(r.err, "is not running") {
				t.Fatalf("%+v", r)
			}
		})
		t.Run("hello/"+build, func(t *testing.T) {
			d, exe := start(t)
			d.DieOf("hello", 1)
			if r := run(t, d, build, "/", "", nil, "hello", exe); r.status != 0 || len(d.Requests("hello")) != 2 {
				t.Fatalf("%+v", r)
			}
		})
		for _, kind := range []string{"tell", "detail"} {
			t.Run("need, "+kind+"/"+build, func(t *testing.T) {
				d, exe := start(t)
				if r := run(t, d, build, "/", fields("line=NEED"), nil, "check", exe, "fail=open"); r.status != 98 {
					t.Fatalf("%+v", r)
				}
				d.DieOf(kind, 1)
				verb := map[string]string{"tell": "tell", "detail": "needs"}[kind]
				for range 2 { // of the dying one, and of one that doesn't know the id
					if r := run(t, d, build, "/", fields("x=1"), nil, verb, "id=d1", exe, "fail=open"); r.status != 126 || !strings.Contains(r.err, again) || r.out != "" {
						t.Fatalf("%+v", r)
					}
					d.Stop()
				}
			})
		}
		for _, kind := range []string{"wait", "detail"} {
			t.Run("question, "+kind+"/"+build, func(t *testing.T) {
				d, exe := start(t)
				d.DieOf(kind, 1)
				if r := run(t, d, build, "/", fields("line=ASK"), nil, "check", exe, "fail=open"); r.status != 126 || !strings.Contains(r.err, again) {
					t.Fatalf("%+v", r)
				}
			})
		}
		t.Run("refusal/"+build, func(t *testing.T) {
			d, exe := start(t)
			d.DieOf("detail", 1)
			if r := run(t, d, build, "/", fields("line=BLOCK"), nil, "check", exe, "fail=open"); r.status != 126 || !strings.Contains(r.err, "blocked") {
				t.Fatalf("%+v", r)
			}
			d.Stop()
			// The shell read the refusal itself, and the daemon has gone since.
			if r := run(t, d, build, "/", "", nil, "settle", "verdict=block", "id=d1", "fail=open"); r.status != 126 {
				t.Fatalf("%+v", r)
			}
			for _, verb := range []string{"hung", "garbled", "lost"} {
				if r := run(t, d, build, "/", "", nil, verb, "verdict=need", "fail=open"); r.status != 126 {
					t.Fatalf("%s: %+v", verb, r)
				}
			}
		})
	}
}

// TestAheadIsCheap: an allowed line is answered without starting the Go runtime.
func TestAheadIsCheap(t *testing.T) {
	if term.ReleaseFlags() == "" {
		t.Skip("nothing runs ahead of the runtime on this system")
	}
	strace := term.Need(t, "strace", "strace")
	d := term.NewDaemon(t)
	trace := filepath.Join(term.TempDir(t), "trace")
	cmd := exec.Command(strace, "-f", "-o", trace, builds["ahead"], "socket="+d.Socket, "check", "shpid=1")
	cmd.Env = []string{"EXTDIR_LINE=ls"}
	if out, err := cmd.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("Operation not permitted")) {
			t.Skip("strace may not trace processes here")
		}
		t.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("(")); n > 16 {
		t.Errorf("%d system calls, want at most 16:\n%s", n, b)
	}
}

// FuzzHistory: whatever the shell prints, both builds send the same line.
func FuzzHistory(f *testing.F) {
	f.Add("trap=\x00number=1\x00history=    1  ls\n")
	f.Add("number=1\x00histcontrol=ignoreboth\x00previous=    1  ls\n    2  ls\n\x00history=    2  ls\n")
	f.Add("line=a\x00hist=off\x00")
	f.Add("history=")
	f.Fuzz(func(t *testing.T, input string) {
		d := term.NewDaemon(t)
		seen := map[string]string{}
		for build := range builds {
			d.Forget()
			r := run(t, d, build, "/", input, nil, "check", "dropfile=/dev/null", "needfile=/dev/null")
			req := d.Requests("check")
			s := fmt.Sprint(r.status, len(req))
			if len(req) == 1 {
				req[0].Fields = slices.DeleteFunc(req[0].Fields, func(f wire.Field) bool { return f.Key == "seq" || f.Key == "cwd" })
				slices.SortFunc(req[0].Fields, func(a, b wire.Field) int { return strings.Compare(a.Key+a.Value, b.Key+b.Value) })
				s += fmt.Sprintf("%q", req[0].Fields)
			}
			seen[build] = s
		}
		if seen["ahead"] != seen["plain"] {
			t.Fatalf("ahead: %s\nplain: %s", seen["ahead"], seen["plain"])
		}
	})
}

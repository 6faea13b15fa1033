package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"extdir/integration/term"
)

// A stage is a person's machine in small: a tmux server that was there before
// anything of extdir, a home, a project, something outside it, and a place for
// one daemon. Its panes are the terminals of a person.
type stage struct {
	t       *testing.T
	top     string // everything below; its name holds no blanks
	home    string
	project string // has a .git; where panes start
	outside string // a directory beside the project with secret.txt and other.txt
	dir     string // --dir of the daemon
	socket  string // of tmux
	panes   int
}

const prompt = term.Prompt

func newStage(t *testing.T) *stage {
	t.Helper()
	needs(t, "tmux", "bash", "zsh")
	// Not t.TempDir: the path of a socket has room for 107 bytes.
	top, err := os.MkdirTemp("", "xd")
	if err != nil {
		t.Fatal(err)
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		t.Fatal(err)
	}
	s := &stage{
		t: t, top: top, home: top + "/home", project: top + "/home/p", outside: top + "/out",
		dir: top + "/x", socket: top + "/tmux",
	}
	for _, d := range []string{s.project + "/.git", s.project + "/src", s.outside, s.dir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.write(s.outside+"/secret.txt", "the-secret\n")
	s.write(s.outside+"/other.txt", "the-other\n")
	s.write(s.project+"/in.txt", "the-inside\n")
	// The stage lies below /tmp, which the default rules allow.
	s.config(`{}`)
	rc := "PS1='" + prompt + "'; PROMPT='" + prompt + "'\nunsetopt prompt_sp\n"
	s.write(s.home+"/.bashrc", "PS1='"+prompt+"'\n")
	s.write(s.home+"/.zshrc", rc)
	s.tmux("-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "50", "-c", s.project, "--", "sleep", "100000")
	t.Cleanup(s.end)
	return s
}

// config replaces the user's configuration file. permission is the value of
// "external_directory"; the stage itself is asked about unless it says otherwise.
func (s *stage) config(rest string) {
	s.t.Helper()
	var more map[string]any
	if err := json.Unmarshal([]byte(rest), &more); err != nil {
		s.t.Fatal(err)
	}
	more["defaults"] = false
	b, err := json.MarshalIndent(more, "", "  ")
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(s.dir+"/config.json", string(b)+"\n")
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// environ is a login's: nothing of the test's own environment but PATH.
func (s *stage) environ() []string {
	return []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + s.home, "USER=tester", "LOGNAME=tester",
		"TERM=screen-256color", "LANG=C.UTF-8", "SHELL=/bin/bash", "TMPDIR=/tmp",
	}
}

func (s *stage) tmux(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...)
	cmd.Env = s.environ()
	cmd.Dir = s.project
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// extdird runs the control command outside every terminal.
func (s *stage) extdird(args ...string) (string, error) {
	cmd := exec.Command(extdird(), append([]string{"--dir", s.dir}, args...)...)
	cmd.Env = s.environ()
	cmd.Dir = s.project
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// daemonPid is the pid of the daemon that holds the socket, 0 for none.
func (s *stage) daemonPid() int {
	out, err := s.extdird("status", "--json")
	if err != nil {
		return 0
	}
	var st struct{ Pid int }
	if err := json.Unmarshal([]byte(out), &st); err != nil {
		s.t.Fatalf("status --json: %v\n%s", err, out)
	}
	return st.Pid
}

// serve starts the daemon as the hook would, and waits for it.
func (s *stage) serve() {
	s.t.Helper()
	cmd := exec.Command(extdird(), "--dir", s.dir, "serve")
	cmd.Env = s.environ()
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go cmd.Wait()
	s.until("the daemon to answer", func() bool { return s.daemonPid() != 0 })
}

func (s *stage) killDaemon() {
	s.t.Helper()
	pid := s.daemonPid()
	if pid == 0 {
		s.t.Fatal("no daemon to kill")
	}
	syscall.Kill(pid, syscall.SIGKILL)
	s.until("the daemon to be gone", func() bool { return syscall.Kill(pid, 0) != nil || zombie(pid) })
}

func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}

func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	for end := time.Now().Add(term.Patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain for %s", what)
		}
	}
}

func (s *stage) end() {
	if pid := s.daemonPid(); pid != 0 {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	exec.Command("tmux", "-S", s.socket, "kill-server").Run()
	os.RemoveAll(s.top)
}

// A pane is one terminal of a person.
type pane struct {
	s    *stage
	id   string // tmux's
	file string // all that the pane ever printed
}

// pane opens a terminal with a plain bash at its prompt.
func (s *stage) pane() *pane { s.t.Helper(); return s.paneOf("bash", "--norc", "--noprofile") }

func (s *stage) paneOf(argv ...string) *pane {
	s.t.Helper()
	s.panes++
	p := &pane{s: s, file: fmt.Sprintf("%s/pane%d", s.top, s.panes)}
	// The pipe must be there before the first prompt: the program waits for it.
	args := append([]string{
		"new-window", "-d", "-P", "-F", "#{pane_id}", "-c", s.project, "-e", "PS1=" + prompt,
		"--", "sh", "-c", `until [ -e "$0" ]; do sleep 0.01; done; exec "$@"`, p.file + ".go",
	}, argv...)
	p.id = strings.TrimSpace(s.tmux(args...))
	s.write(p.file, "")
	s.tmux("pipe-pane", "-t", p.id, "cat >> "+p.file)
	s.write(p.file+".go", "")
	p.wait(0, "the first prompt", atPrompt)
	return p
}

// guarded opens a terminal and starts a guarded shell in it, as a person would.
func (s *stage) guarded(run ...string) *pane {
	s.t.Helper()
	p := s.pane()
	p.run("exec extdird --dir " + s.dir + " run " + strings.Join(run, " "))
	return p
}

func atPrompt(text string) bool { return strings.HasSuffix("\n"+text, "\n"+prompt) }

func (p *pane) mark() int {
	st, err := os.Stat(p.file)
	if err != nil {
		p.s.t.Fatal(err)
	}
	return int(st.Size())
}

func (p *pane) textAfter(mark int) string {
	b, err := os.ReadFile(p.file)
	if err != nil {
		p.s.t.Fatal(err)
	}
	return term.Plain(b[mark:])
}

func (p *pane) wait(mark int, what string, ok func(string) bool) string {
	p.s.t.Helper()
	for end := time.Now().Add(term.Patience); ; time.Sleep(10 * time.Millisecond) {
		text := p.textAfter(mark)
		if ok(text) {
			return text
		}
		if time.Now().After(end) {
			p.s.t.Fatalf("no sign of %s on the terminal, which shows:\n%s", what, text)
		}
	}
}

// waitFor waits until the terminal shows want after mark.
func (p *pane) waitFor(mark int, want string) string {
	p.s.t.Helper()
	return p.wait(mark, fmt.Sprintf("%q", want), func(text string) bool { return strings.Contains(text, want) })
}

// keys sends literal keys.
func (p *pane) keys(text string) {
	p.s.t.Helper()
	p.s.tmux("send-keys", "-t", p.id, "-l", "--", text)
}

func (p *pane) enter()       { p.s.t.Helper(); p.s.tmux("send-keys", "-t", p.id, "Enter") }
func (p *pane) key(k string) { p.s.t.Helper(); p.s.tmux("send-keys", "-t", p.id, k) }

// line types a line and doesn't wait.
func (p *pane) line(l string) (mark int) {
	p.s.t.Helper()
	mark = p.mark()
	p.keys(l)
	p.enter()
	return mark
}

// pause lets the burst that follows a refusal end: a person looks before typing on.
func pause() { time.Sleep(350 * time.Millisecond) }

// run types a line, waits for the next prompt and returns what came between.
func (p *pane) run(l string) string {
	p.s.t.Helper()
	mark := p.line(l)
	text := p.wait(mark, "the prompt after "+l, func(text string) bool {
		return strings.Contains(text, "\n") && atPrompt(text)
	})
	if _, after, ok := strings.Cut(text, "\n"); ok {
		text = after
	}
	if strings.Contains(text, "extdir: ") {
		pause()
	}
	return strings.TrimSuffix(text, prompt)
}

// cancel ends a question with Ctrl-C and waits for the prompt.
func (p *pane) cancel(mark int) {
	p.s.t.Helper()
	p.key("C-c")
	p.wait(mark, "the prompt after Ctrl-C", atPrompt)
	pause()
}

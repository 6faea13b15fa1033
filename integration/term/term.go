// Package term drives a shell the way a person does, for tests: keys in, screen
// out. [Start] gives the shell a pseudo terminal with an emulator behind it;
// [StartTmux] a pane of a private tmux server. [Daemon] is a stand-in for extdird
// that speaks the wire protocol and judges by words in the line.
//
// Waiting is always for something to be seen, with a deadline; nothing sleeps and
// hopes.
package term

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Prompt is the prompt that the start files of a test should set: it is what Run
// and WaitPrompt wait for.
const Prompt = "@> "

// Patience is how long anything is waited for. Machines that run tests are slow
// at times; a test that holds never waits so long.
const Patience = 20 * time.Second

// Options of a shell.
type Options struct {
	Dir string   // working directory
	Env []string // added to a bare environment (PATH, TERM, LANG, HOME=Dir)
	// Quiet: don't wait for the first prompt.
	Quiet bool
}

// Term is a program on a pseudo terminal.
type Term struct {
	tb  testing.TB
	cmd *exec.Cmd
	pty *os.File

	mu    sync.Mutex
	raw   []byte // all output
	vt    *vt.Emulator
	ended bool
	more  chan struct{} // closed and renewed when there is more output
}

// Start runs argv on a new terminal and waits for its first prompt. The program
// is killed at the end of the test.
func Start(tb testing.TB, o Options, argv ...string) *Term {
	tb.Helper()
	t := &Term{tb: tb, vt: vt.NewEmulator(120, 40), more: make(chan struct{})}
	t.cmd = exec.Command(argv[0], argv[1:]...)
	t.cmd.Dir = o.Dir
	t.cmd.Env = environ(o)
	f, err := pty.StartWithSize(t.cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		tb.Fatalf("cannot start %q on a terminal: %v", argv, err)
	}
	t.pty = f
	tb.Cleanup(t.Kill)
	// The emulator answers queries (cursor position …) as a terminal does.
	go func() {
		b := make([]byte, 256)
		for {
			n, err := t.vt.Read(b)
			if err != nil {
				return
			}
			t.pty.Write(b[:n])
		}
	}()
	go t.read()
	if !o.Quiet {
		t.WaitPrompt()
	}
	return t
}

func environ(o Options) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"HOME=" + o.Dir, "USER=tester", "LOGNAME=tester",
	}
	return append(env, o.Env...)
}

func (t *Term) read() {
	b := make([]byte, 32<<10)
	for {
		n, err := t.pty.Read(b)
		t.mu.Lock()
		t.raw = append(t.raw, b[:n]...)
		t.vt.Write(b[:n])
		t.ended = err != nil
		close(t.more)
		t.more = make(chan struct{})
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Kill ends the program and all it left on the terminal.
func (t *Term) Kill() {
	if t.cmd.ProcessState != nil {
		return
	}
	syscall.Kill(-t.cmd.Process.Pid, syscall.SIGKILL)
	t.cmd.Process.Kill()
	t.cmd.Wait()
	t.pty.Close() // hangs up whatever else is on the terminal
	// Ends the goroutine that answers queries. (Emulator.Close races with its Read.)
	if c, ok := t.vt.InputPipe().(io.Closer); ok {
		c.Close()
	}
}

// Pid is the process id of the program.
func (t *Term) Pid() int { return t.cmd.Process.Pid }

// Wait waits for the program to end by itself and returns its exit status.
func (t *Term) Wait() int {
	t.tb.Helper()
	done := make(chan struct{})
	go func() { t.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(Patience):
		t.tb.Fatalf("the program did not end; screen:\n%s", t.Screen())
	}
	return t.cmd.ProcessState.ExitCode()
}

// Type sends keys as they are: "\r" is Enter, "\x03" is Ctrl-C.
func (t *Term) Type(keys string) {
	t.tb.Helper()
	if _, err := t.pty.WriteString(keys); err != nil {
		t.tb.Fatalf("cannot type %q: %v", keys, err)
	}
}

// Paste sends text as a terminal in bracketed paste mode does.
func (t *Term) Paste(text string) { t.Type("\x1b[200~" + text + "\x1b[201~") }

// Run types a line, waits for the next prompt, and returns what was printed
// between the two.
func (t *Term) Run(line string) string {
	t.tb.Helper()
	from := t.mark()
	t.Type(line + "\r")
	s := t.waitPrompt(from)
	if _, after, ok := strings.Cut(s, "\n"); ok {
		s = after
	}
	return strings.TrimSuffix(s, Prompt)
}

// Lines runs several lines one after the other and returns all they printed.
func (t *Term) Lines(lines ...string) string {
	t.tb.Helper()
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(t.Run(l))
	}
	return b.String()
}

func (t *Term) mark() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.raw)
}

// Mark remembers the place that WaitPromptAfter and TextAfter count from.
func (t *Term) Mark() int { return t.mark() }

// TextAfter is the plain text printed since mark.
func (t *Term) TextAfter(mark int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Plain(t.raw[mark:])
}

// WaitPrompt waits until the last line of the output is the prompt.
func (t *Term) WaitPrompt() {
	t.tb.Helper()
	t.wait(0, "a prompt", func(s string) bool { return strings.HasSuffix(s, Prompt) })
}

// WaitPromptAfter waits for a prompt on a line of its own that came after mark,
// and returns the text up to it.
func (t *Term) WaitPromptAfter(mark int) string { t.tb.Helper(); return t.waitPrompt(mark) }

func (t *Term) waitPrompt(from int) string {
	t.tb.Helper()
	return t.wait(from, "the next prompt", func(s string) bool {
		return strings.HasSuffix(s, "\n"+Prompt)
	})
}

// WaitText waits until the output since mark holds s.
func (t *Term) WaitText(mark int, s string) string {
	t.tb.Helper()
	return t.wait(mark, "the text "+s, func(have string) bool { return strings.Contains(have, s) })
}

// WaitUntil waits for a condition on the text printed since mark.
func (t *Term) WaitUntil(mark int, what string, ok func(text string) bool) string {
	t.tb.Helper()
	return t.wait(mark, what, ok)
}

func (t *Term) wait(from int, what string, ok func(string) bool) string {
	t.tb.Helper()
	end := time.After(Patience)
	for {
		t.mu.Lock()
		s, more, ended := Plain(t.raw[from:]), t.more, t.ended
		t.mu.Unlock()
		if ok(s) {
			return s
		}
		if ended {
			t.tb.Fatalf("the program ended while waiting for %s; output since:\n%s", what, s)
		}
		select {
		case <-more:
		case <-end:
			t.tb.Fatalf("no sign of %s; output since:\n%q\nscreen:\n%s", what, s, t.Screen())
		}
	}
}

// Screen is what a person would see now, without trailing blanks.
func (t *Term) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, l := range strings.Split(t.vt.String(), "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Plain is output without control sequences and carriage returns.
func Plain(raw []byte) string {
	var b bytes.Buffer
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\r', c == 7, c == 0:
		case c != 0x1b:
			b.WriteByte(c)
		case i+1 < len(raw) && raw[i+1] == '[': // CSI … final byte
			for i += 2; i < len(raw) && (raw[i] < 0x40 || raw[i] > 0x7e); i++ {
			}
		case i+1 < len(raw) && (raw[i+1] == ']' || raw[i+1] == 'P'): // OSC, DCS … BEL or ST
			for i += 2; i < len(raw) && raw[i] != 7 && raw[i] != 0x1b; i++ {
			}
			if i < len(raw) && raw[i] == 0x1b {
				i++
			}
		default:
			i++
		}
	}
	return b.String()
}

// Need skips the test where program isn't installed, with the package to install;
// where CI is true it fails instead, so that nothing goes untested unseen.
func Need(tb testing.TB, program, pkg string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		tb.Fatalf("%s is missing: install %s", program, pkg)
	}
	tb.Skipf("%s is missing: install %s", program, pkg)
	return ""
}

// TempDir is a directory of the test, like testing.TB's. A shell that is killed
// may leave children that still write for a moment; that is no failure.
func TempDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "term")
	if err != nil {
		tb.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		for range 100 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	return dir
}

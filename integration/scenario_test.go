package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The scenarios hold what was found out about shells, one subtest each, named by
// number: keys in, screen and files out. The shells' own tests play them against a
// stand-in that judges by words; here the daemon is the real one, and a line is
// refused because a rule says so.

// rules refuses names with BLOCK in them, asks about names with ASK, and refuses
// the command blockme. A question nobody answers ends soon.
const rules = `{"wait": "3s", "permission": {"path": {"*BLOCK*": "deny", "*ASK*": "ask"}, "bash": {"blockme": "deny"}}}`

// An act is one guarded shell, in which scenarios are played one after the other.
type act struct {
	*pane
	shell string
	cuts  int // of the log
}

// anAgents and aPersons are the two kinds of session that a shell is guarded in.
func (s *stage) anAgents(shell string) *act {
	s.t.Helper()
	return &act{pane: s.guarded("--agent", "robot", "--shell", shell), shell: shell}
}

func (s *stage) aPersons(shell string) *act {
	s.t.Helper()
	return &act{pane: s.guarded("--shell", shell), shell: shell}
}

// scenes makes a stage for scenarios. rc is added to the start files of both shells.
func scenes(t *testing.T, rc string) *stage {
	t.Helper()
	s := newStage(t)
	s.config(rules)
	for _, name := range []string{".bashrc", ".zshrc"} {
		s.add(s.home+"/"+name, rc)
	}
	return s
}

// playInEachShell runs a test in both shells, beside other tests: what they do is
// wait.
func playInEachShell(t *testing.T, f func(t *testing.T, shell string)) {
	t.Parallel()
	inEachShell(t, func(t *testing.T, shell string) {
		t.Parallel()
		f(t, shell)
	})
}

// atPromptAgain tells that a prompt came after what was typed: after Ctrl-C zsh
// writes it on the same line.
func atPromptAgain(text string) bool {
	return strings.HasSuffix(text, "^C"+prompt) || strings.Contains(text, "\n") && atPrompt(text)
}

// add writes text at the end of a file.
func (s *stage) add(name, text string) {
	s.t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(name, string(b)+text+"\n")
}

// scenario plays one scenario in the shell, with nothing lying about from the one
// before.
func (a *act) scenario(name string, f func(t *testing.T)) {
	outer := a.s.t
	outer.Helper()
	outer.Run(name, func(t *testing.T) {
		a.s.t = t
		defer func() { a.s.t = outer }()
		a.s.sweep()
		f(t)
	})
}

// own are the files of a stage's project that no scenario made.
var own = []string{".git", "src", "in.txt"}

func (s *stage) files() []string {
	s.t.Helper()
	entries, err := os.ReadDir(s.project)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !slices.Contains(own, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

func (s *stage) sweep() {
	s.t.Helper()
	for _, name := range s.files() {
		os.RemoveAll(filepath.Join(s.project, name))
	}
}

// hasFiles fails unless the scenario made exactly these files.
func (a *act) hasFiles(want string) {
	a.s.t.Helper()
	if have := strings.Join(a.s.files(), " "); have != want {
		a.s.t.Errorf("files: have %q, want %q; terminal:\n%s", have, want, a.tail())
	}
}

// tail is the last of what the terminal showed.
func (a *act) tail() string {
	text := a.textAfter(0)
	return text[max(len(text)-1500, 0):]
}

// blocks runs a line and fails unless it was refused and left no file.
func (a *act) blocks(line string) string {
	a.s.t.Helper()
	before := strings.Join(a.s.files(), " ")
	out := a.run(line)
	if !strings.Contains(out, "extdir: blocked: ") {
		a.s.t.Errorf("%q was not refused, the terminal shows:\n%s", line, a.tail())
	}
	a.hasFiles(before)
	return out
}

// prints runs a line and fails unless it prints exactly want.
func (a *act) prints(line, want string) {
	a.s.t.Helper()
	if have := strings.TrimRight(a.run(line), "\n"); have != want {
		a.s.t.Errorf("%q printed %q, want %q; terminal:\n%s", line, have, want, a.tail())
	}
}

// asked runs a line that a person is asked about on this terminal, and answers.
func (a *act) asked(line, key string) string {
	a.s.t.Helper()
	return a.answer(a.line(line), key)
}

// A decision is what the daemon's log says about a line.
type decision struct {
	Kind, Session, Driver, Shell, Line, Verdict, Text string
}

func (s *stage) decisions() []decision {
	s.t.Helper()
	out, err := s.extdird("log", "--json", "-n", "100000")
	if err != nil {
		s.t.Fatalf("log --json: %v\n%s", err, out)
	}
	var all []decision
	dec := json.NewDecoder(strings.NewReader(out))
	for dec.More() {
		var d decision
		if err := dec.Decode(&d); err != nil {
			s.t.Fatalf("log --json: %v\n%s", err, out)
		}
		if d.Kind == "check" {
			all = append(all, d)
		}
	}
	return all
}

// cut marks a place in the decision log; judged returns what came since. Both run
// a line of their own, for the log is written behind the verdicts' backs.
func (a *act) cut() {
	a.s.t.Helper()
	a.cuts++
	a.run(fmt.Sprintf(": begin %d", a.cuts))
}

func (a *act) since() []decision {
	a.s.t.Helper()
	begin, end := fmt.Sprintf(": begin %d", a.cuts), fmt.Sprintf(": end %d", a.cuts)
	a.run(end)
	var all []decision
	at := func(line string) int {
		return slices.IndexFunc(all, func(d decision) bool { return d.Line == line })
	}
	a.s.until("the decision log", func() bool { all = a.s.decisions(); return at(end) >= 0 })
	return all[at(begin)+1 : at(end)]
}

// judged fails unless exactly these lines were judged since the last cut.
func (a *act) judged(want ...string) {
	a.s.t.Helper()
	var have []string
	for _, d := range a.since() {
		have = append(have, d.Line)
	}
	if !slices.Equal(have, want) {
		a.s.t.Errorf("judged: have %q, want %q; terminal:\n%s", have, want, a.tail())
	}
}

// paste sends text as a terminal does that brackets what is pasted, and Enter.
func (a *act) paste(text string) {
	a.s.t.Helper()
	a.keys("\x1b[200~" + text + "\x1b[201~")
	a.enter()
}

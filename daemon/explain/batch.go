package explain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/policy"
	"extdir/daemon/resolve"
)

// Batch explains lines of JSON without a daemon: for tests, corpora and other
// tools. Answers come in the order of the questions, and as soon as they are
// ready, so that a program may write a line and wait for its answer.
type Batch struct {
	Analyzer *analyze.Analyzer
	// Policy is what decides for a root, an agent ("" for none) and a home.
	Policy func(root, agent, home string) *policy.Policy
	// Inner takes the host's frame off a line of that agent, if it has one.
	Inner func(agent string, r analyze.Request) analyze.Request
}

// question is one line of a batch's input.
type question struct {
	ID    json.RawMessage    `json:"id"`
	Cmd   *string            `json:"cmd"`
	Cwd   string             `json:"cwd"`
	Home  string             `json:"home"`
	Root  string             `json:"root"`
	Shell string             `json:"shell"`
	Agent string             `json:"agent"`
	Env   *map[string]string `json:"env"`
}

type answered struct {
	ID json.RawMessage `json:"id"`
	Answer
}

// defaultPath is PATH where a question brings no environment.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Run answers every line of in on out. A line that is no question gets an answer
// with an error: it never silently disappears.
func (b *Batch) Run(in io.Reader, out io.Writer) error {
	workers := runtime.GOMAXPROCS(0)
	type job struct {
		line []byte
		done chan []byte
	}
	jobs := make(chan job)
	order := make(chan chan []byte, 4*workers)
	defer close(jobs)
	for range workers {
		go func() {
			for j := range jobs {
				j.done <- b.answer(j.line)
			}
		}()
	}
	written := make(chan error, 1)
	failed := make(chan struct{})
	go func() { written <- write(out, order, failed) }()

	r := bufio.NewReaderSize(in, 1<<20)
	var rerr error
read:
	for rerr == nil {
		var line []byte
		line, rerr = readLine(r)
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		j := job{line, make(chan []byte, 1)}
		select {
		case order <- j.done:
			jobs <- j
		case <-failed:
			break read
		}
	}
	close(order)
	if err := <-written; err != nil {
		return err
	}
	if rerr != nil && !errors.Is(rerr, io.EOF) {
		return fmt.Errorf("reading questions: %w", rerr)
	}
	return nil
}

// maxQuestion is how long a question may be: more than the longest line that is
// judged takes, with every byte of it escaped.
const maxQuestion = 4 << 20

// readLine reads a line, and keeps no more of it than shows that it is too long.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		if room := maxQuestion + 1 - len(line); room > 0 {
			line = append(line, piece[:min(room, len(piece))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// write writes answers in their order and flushes whenever the next isn't ready.
func write(out io.Writer, order <-chan chan []byte, failed chan<- struct{}) error {
	w := bufio.NewWriterSize(out, 64<<10)
	next := func() (chan []byte, bool) {
		select {
		case c, open := <-order:
			return c, open
		default:
			w.Flush()
			c, open := <-order
			return c, open
		}
	}
	for {
		c, open := next()
		if !open {
			return w.Flush()
		}
		var b []byte
		select {
		case b = <-c:
		default:
			w.Flush()
			b = <-c
		}
		if _, err := w.Write(b); err != nil {
			close(failed)
			for range order { // lets the reader go
			}
			return fmt.Errorf("writing answers: %w", err)
		}
	}
}

func (b *Batch) answer(line []byte) (out []byte) {
	var q question
	id := json.RawMessage("null")
	fail := func(why string) []byte {
		return marshal(answered{id, Answer{
			Paths: []string{}, Dynamic: true, Verdict: policy.VerdictPrompt.String(),
			Accesses: []Access{}, Error: why,
		}})
	}
	defer func() {
		if p := recover(); p != nil {
			out = fail(fmt.Sprintf("internal error: %v", p))
		}
	}()
	switch {
	case len(line) > maxQuestion:
		return fail(fmt.Sprintf("not a question: longer than %d bytes", maxQuestion))
	case !utf8.Valid(line): // JSON can't carry such a name; another would be judged
		return fail("not a question: it holds bytes that are no UTF-8")
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return fail("not a question: " + err.Error())
	}
	if q.ID != nil {
		id = q.ID
	}
	switch {
	case q.Shell == "":
		q.Shell = "bash"
	case q.Shell != "bash" && q.Shell != "zsh":
		return fail(fmt.Sprintf("shell is bash or zsh, not %q", q.Shell))
	}
	if q.Cmd == nil {
		return fail("cmd is missing: the line to explain")
	}
	if strings.ContainsRune(*q.Cmd, utf8.RuneError) && !bytes.ContainsRune(line, utf8.RuneError) && !bytes.Contains(bytes.ToLower(line), []byte(`\ufffd`)) {
		return fail("cmd holds half of a surrogate pair")
	}
	if q.Home != "" && !strings.HasPrefix(q.Home, "/") {
		return fail("home must be an absolute path")
	}
	if !strings.HasPrefix(q.Cwd, "/") {
		return fail("cwd must be an absolute path")
	}
	if q.Root == "" {
		q.Root = q.Cwd
	}
	root, err := resolve.Path(b.Analyzer.FS, q.Root, nil)
	if err != nil {
		return fail("root " + q.Root + ": " + err.Error())
	}
	r := q.request(*q.Cmd, root)
	if b.Inner != nil && q.Agent != "" {
		r = b.Inner(q.Agent, r)
	}
	found := b.Analyzer.Analyze(r)
	roots := []string{root}
	d := b.Policy(root, q.Agent, q.Home).Decide(found, policy.Context{
		Line: r.Line, Cwd: q.Cwd, Agent: q.Agent, Driver: "agent", Mode: "ask", Roots: roots,
	})
	shift(found.Accesses, strings.Index(*q.Cmd, r.Line))
	return marshal(answered{id, Answered(found, roots, d.Verdict)})
}

// shift moves spans of a framed line to where it stands in the whole. A line
// that the frame quotes doesn't stand there as it is: then they are the inner
// line's own.
func shift(as []access.Access, by int) {
	if by <= 0 {
		return
	}
	for i := range as {
		as[i].Start += by
		as[i].End += by
	}
}

func (q *question) request(line, root string) analyze.Request {
	vars := map[string]analyze.Var{}
	set := func(name, value string) {
		vars[name] = analyze.Var{Set: true, Exported: true, Value: value}
	}
	if q.Home != "" {
		set("HOME", q.Home)
		set("USER", path.Base(q.Home))
	}
	set("PWD", q.Cwd)
	if q.Env == nil {
		set("PATH", defaultPath)
	} else {
		for name, value := range *q.Env {
			set(name, value)
		}
	}
	r := analyze.Request{
		Line: line, Shell: q.Shell, Cwd: q.Cwd, Home: q.Home, Roots: []string{root},
		Vars: vars, Aliases: map[string]string{}, Functions: map[string]string{}, ShellKnown: true,
	}
	if v, ok := vars["OLDPWD"]; ok {
		r.OldPwd = v.Value
	}
	if v, ok := vars["CDPATH"]; ok {
		r.CDPath = v.Value
	}
	return r
}

func marshal(a answered) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		b.Reset()
		enc.Encode(answered{json.RawMessage("null"), Answer{
			Paths: []string{}, Dynamic: true, Verdict: policy.VerdictPrompt.String(),
			Accesses: []Access{}, Error: "internal error: " + err.Error(),
		}})
	}
	return b.Bytes()
}

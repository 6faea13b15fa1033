// Package audit is the decision log: one JSON object a line, for people who ask
// why, and for tools.
//
// A verdict never waits for the log. Entries go through a bounded queue; when it
// is full they are dropped and counted, and the count is written with the next
// entry that finds room. Files are 0600 and rotate: NAME, NAME.1, … NAME.4, of
// 10 MiB each. Words that look like secrets are masked before they are written.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// DefaultSize and DefaultFiles bound what the log takes on disk.
	DefaultSize  = 10 << 20
	DefaultFiles = 5
	queueLen     = 1024
	// maxLine cuts the line of an entry: a line may have 256 KiB.
	maxLine = 8 << 10
)

// Entry is one decision, or one act of a person.
type Entry struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"` // "check", "approve", "deny", "revoke", "trust", "pause", "session", "config", …
	Session string    `json:"session,omitempty"`
	Driver  string    `json:"driver,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	TTY     string    `json:"tty,omitempty"`
	Shell   string    `json:"shell,omitempty"`
	Pid     int       `json:"pid,omitempty"`
	Cwd     string    `json:"cwd,omitempty"`
	Line    string    `json:"line,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
	// Observed is what the verdict would have been in a session that is asked.
	Observed string `json:"observed,omitempty"`
	// Findings say why, strictest first.
	Findings []Finding     `json:"findings,omitempty"`
	Grants   []string      `json:"grants,omitempty"` // that were used
	Question string        `json:"question,omitempty"`
	Text     string        `json:"text,omitempty"` // what was said to the shell or the person
	Error    string        `json:"error,omitempty"`
	Took     time.Duration `json:"took_ns,omitempty"`
	// Dropped counts the entries lost before this one.
	Dropped uint64 `json:"dropped,omitempty"`
}

// Finding is what one gate said.
type Finding struct {
	Gate    string `json:"gate"`
	Action  string `json:"action"`
	Kind    string `json:"kind,omitempty"`
	Path    string `json:"path,omitempty"`
	Typed   string `json:"typed,omitempty"`
	Why     string `json:"why,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Layer   string `json:"layer,omitempty"`
	File    string `json:"file,omitempty"`
	LineNo  int    `json:"line,omitempty"`
	Unknown bool   `json:"unknown,omitempty"`
}

// Options of a Log; zero values are the defaults.
type Options struct {
	Size  int64 // of a file
	Files int
	Now   func() time.Time
}

// Log is safe for concurrent use.
type Log struct {
	path string
	opt  Options

	queue   chan message
	done    chan struct{}
	dropped atomic.Uint64 // since the last entry written
	lost    atomic.Uint64 // ever

	mu     sync.Mutex // guards closed against sends on a closed queue
	closed bool

	failure atomic.Pointer[string]

	// of the writer alone
	file *os.File
	size int64
}

type message struct {
	entry   *Entry
	flushed chan struct{} // not nil: a Flush
}

// Open starts a log at path. A log that can't be written is no reason not to
// judge: Status says what is wrong, and each entry tries again.
func Open(path string, opt Options) *Log {
	l := prepare(path, opt)
	go l.run()
	return l
}

// prepare makes a log whose writer doesn't run yet.
func prepare(path string, opt Options) *Log {
	if opt.Size <= 0 {
		opt.Size = DefaultSize
	}
	if opt.Files <= 0 {
		opt.Files = DefaultFiles
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Log{path: path, opt: opt, queue: make(chan message, queueLen), done: make(chan struct{})}
}

// Write queues an entry. It never waits, and the entry's slices must not be
// changed afterwards: masking and encoding are the writer's work.
func (l *Log) Write(e Entry) {
	if e.Time.IsZero() {
		e.Time = l.opt.Now()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.drop()
		return
	}
	select {
	case l.queue <- message{entry: &e}:
	default:
		l.drop()
	}
}

func (l *Log) drop() {
	l.dropped.Add(1)
	l.lost.Add(1)
}

// Dropped tells how many entries were lost since the log was opened.
func (l *Log) Dropped() uint64 { return l.lost.Load() }

// Status is "" or a sentence that says what is wrong with the log.
func (l *Log) Status() string {
	if s := l.failure.Load(); s != nil {
		return *s
	}
	return ""
}

// Flush waits until what was queued before is written. It is for whoever reads
// the log, never for a verdict.
func (l *Log) Flush() {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	m := message{flushed: make(chan struct{})}
	l.mu.Unlock()
	select {
	case l.queue <- m:
	case <-l.done:
		return
	}
	select {
	case <-m.flushed:
	case <-l.done:
	}
}

// Close writes what is queued.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	l.queue <- message{} // the last one: nobody queues after closed was set, but Flush
	<-l.done
	if l.file != nil {
		return l.file.Close()
	}
	return nil
}

func (l *Log) run() {
	defer close(l.done)
	for m := range l.queue {
		switch {
		case m.flushed != nil:
			close(m.flushed)
		case m.entry == nil:
			return
		default:
			if err := l.put(*m.entry); err != nil {
				text := fmt.Sprintf("the decision log isn't written: %v", err)
				l.failure.Store(&text)
				l.drop()
			} else {
				l.failure.Store(nil)
			}
		}
	}
}

func (l *Log) put(e Entry) error {
	e.mask()
	e.Dropped = l.dropped.Load()
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := l.write(append(b, '\n')); err != nil {
		return err
	}
	l.dropped.Add(^(e.Dropped - 1)) // minus what the entry told
	return nil
}

func (l *Log) write(line []byte) error {
	if l.file != nil && l.size+int64(len(line)) > l.opt.Size && l.size > 0 {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	if l.file == nil {
		if err := l.reopen(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	if err != nil {
		// A torn entry is ended, so that the next one stands on a line of its own.
		if n > 0 {
			m, _ := l.file.WriteString("\n")
			l.size += int64(m)
		}
		_ = l.file.Close()
		l.file = nil
	}
	return err
}

// reopen opens the file for appending, 0600, and never through a link.
func (l *Log) reopen() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(l.path)
	if err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file; move it away", l.path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return err
	}
	if err := f.Chmod(0o600); err != nil {
		_ = f.Close()
		return err
	}
	if st, err = f.Stat(); err != nil {
		_ = f.Close()
		return err
	}
	l.file, l.size = f, st.Size()
	// A line that a crash cut short is ended.
	if l.size > 0 {
		if r, err := os.Open(l.path); err == nil {
			var last [1]byte
			if _, err := r.ReadAt(last[:], l.size-1); err == nil && last[0] != '\n' {
				n, _ := f.WriteString("\n")
				l.size += int64(n)
			}
			_ = r.Close()
		}
	}
	return nil
}

// rotate moves NAME.3 to NAME.4 and so on, and NAME to NAME.1.
func (l *Log) rotate() error {
	_ = l.file.Close()
	l.file = nil
	for i := l.opt.Files - 1; i >= 1; i-- {
		err := os.Rename(numbered(l.path, i-1), numbered(l.path, i))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if l.opt.Files == 1 {
		return os.Remove(l.path)
	}
	return nil
}

func numbered(path string, i int) string {
	if i == 0 {
		return path
	}
	return fmt.Sprintf("%s.%d", path, i)
}

package approval

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/policy"
	"extdir/daemon/session"
)

const (
	// OpenFor is how long a question can be answered, and how long an answer
	// given too late stands for the same line.
	OpenFor = 10 * time.Minute
	// After lockAfter questions within lockWindow that nobody approved, an agent's
	// session is refused without a question: tiring a person out is an attack as
	// well. A person who asks themselves much is asked.
	lockAfter  = 10
	lockWindow = time.Minute
)

// Ask is what a question is about.
type Ask struct {
	Session  session.Session
	Shell    session.Shell
	Via      string // how it came: "ps0", "debug", "preexec", "c", or "hook" from an agent's host
	Line     string
	Cwd      string
	Found    access.Line
	Decision policy.Decision
}

// Request is a question, as it stands now.
type Request struct {
	Ask
	ID      string
	Opened  time.Time
	Expires time.Time
	Waiting int // shells that wait for the answer
	// Open: it may still be answered. Else Outcome says how it was.
	Open    bool
	Outcome Outcome
}

// Outcome is the answer to a question.
type Outcome struct {
	Verdict policy.Verdict // VerdictPrompt: not answered yet
	Text    string         // for the shell, if the line isn't allowed
	Reason  string         // a person's words, if the line was denied
	Grant   string         // id of the grant that came of it
	By      By
}

// Answer is what a person allows. The zero Answer is this session, exactly what
// was shown.
type Answer struct {
	Scope Scope         // "": InSession
	For   time.Duration // with Until
	Tree  bool          // each path with all that is below it
	Repo  bool          // the repository around each path
	Kinds access.Kinds  // 0: as shown
}

// ErrLocked is returned by Open for an agent's session that asks too much. It
// tells the agent what to do.
var ErrLocked = errors.New("not even asked: this session put too many questions within a minute that were refused or left unanswered; don't try other lines, tell the person what you need and why, or work inside the project, and wait a minute before the next line that has to be asked about")

// Pending holds the open questions. It is safe for concurrent use.
type Pending struct {
	store *Store
	now   func() time.Time

	mu      sync.Mutex
	all     map[string]*question
	asks    map[string][]time.Time // session → when it asked what nobody approved
	changed chan struct{}
}

type question struct {
	Request
	answering bool          // an answer is being stored
	once      string        // grant for once that whoever waits may take
	done      chan struct{} // closed with the answer
}

// NewPending returns a Pending without questions.
func NewPending(store *Store) *Pending {
	return &Pending{
		store: store, now: store.opt.Now, all: map[string]*question{},
		asks: map[string][]time.Time{}, changed: make(chan struct{}),
	}
}

// Open asks a question, or finds the one that is open for the same line of the
// same session already. Where the line would touch something else by now (a link
// was moved), the old question is closed and a new one asked: a person's answer
// is about what was shown.
func (p *Pending) Open(a Ask) (Request, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune()
	a.Found.Accesses = directories(a.Found.Accesses)
	var stale *question
	for _, q := range p.all {
		if !q.Open || q.Session.Key != a.Session.Key || q.Line != a.Line || q.Cwd != a.Cwd {
			continue
		}
		if q.answering || slices.Equal(shows(q.Ask), shows(a)) {
			return q.Request, nil
		}
		stale = q
	}
	now := p.now()
	if a.Session.Driver != session.Human {
		if len(p.asks[a.Session.Key]) >= lockAfter {
			return Request{}, ErrLocked
		}
		p.asks[a.Session.Key] = append(p.asks[a.Session.Key], now)
	}
	q := &question{
		Request: Request{
			Ask: a, ID: p.newID(), Opened: now, Expires: now.Add(OpenFor), Open: true,
			Outcome: Outcome{Verdict: policy.VerdictPrompt},
		},
		done: make(chan struct{}),
	}
	q.Outcome.Text = Waiting(p.store.opt.Command, q.ID)
	p.all[q.ID] = q
	p.tell()
	if stale != nil {
		p.close(stale, Outcome{
			Verdict: policy.VerdictBlock,
			Text:    "extdir: blocked: " + short(a.Line) + ": it would touch something else by now; question " + q.ID + " asks about that",
		})
	}
	return q.Request, nil
}

// directories marks what names a directory as one: an approval for it covers what
// is below, whether the command works on all of it (grep -r) or lists it (ls, cd),
// for nobody wants to be asked about each file of a directory they just let an
// agent look into. The question says so.
func directories(all []access.Access) []access.Access {
	out := slices.Clone(all)
	for i, a := range out {
		if a.Certainty == access.Certain && !a.Glob && !a.Dir && path.IsAbs(a.Path) {
			info, err := os.Lstat(a.Path) // resolved: a link here is none of its links any more
			out[i].Dir = err == nil && info.IsDir()
		}
	}
	return out
}

// shows is what a question shows of the line's accesses.
func shows(a Ask) []string {
	var out []string
	for _, f := range asked(a.Decision) {
		out = append(out, finding(f, a.Found))
	}
	return out
}

// newID is short enough to be typed, and random so that the id of a question
// that was answered long ago doesn't come back soon.
func (p *Pending) newID() string {
	digits := 3
	for tries := 0; ; tries++ {
		if tries == 16 {
			digits, tries = digits+1, 0
		}
		b := make([]byte, (digits+1)/2)
		_, _ = rand.Read(b) // never fails (crypto/rand)
		id := hex.EncodeToString(b)[:digits]
		if _, taken := p.all[id]; !taken {
			return id
		}
	}
}

// prune forgets what is over. The caller holds the lock.
func (p *Pending) prune() {
	now := p.now()
	for id, q := range p.all {
		if now.Before(q.Expires) || q.answering {
			continue
		}
		if q.Open {
			p.close(q, Outcome{Verdict: policy.VerdictBlock, Text: Waiting(p.store.opt.Command, id)})
		}
		if q.Waiting == 0 {
			delete(p.all, id)
		}
	}
	for key, times := range p.asks {
		times = slices.DeleteFunc(times, func(t time.Time) bool { return now.Sub(t) >= lockWindow })
		if p.asks[key] = times; len(times) == 0 {
			delete(p.asks, key)
		}
	}
}

// close gives a question its answer. The caller holds the lock.
func (p *Pending) close(q *question, o Outcome) {
	q.Open, q.answering, q.Outcome = false, false, o
	// The answer is kept for a shell that is on its way to wait for it.
	q.Expires = p.now().Add(OpenFor)
	close(q.done)
	p.tell()
}

func (p *Pending) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// Changed returns a channel that is closed at the next change of the questions.
func (p *Pending) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// Get returns a question, open or answered lately.
func (p *Pending) Get(id string) (Request, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune()
	if q, ok := p.all[id]; ok {
		return q.Request, true
	}
	return Request{}, false
}

// List returns the open questions, oldest first.
func (p *Pending) List() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune()
	var out []Request
	for _, q := range p.all {
		if q.Open {
			out = append(out, q.Request)
		}
	}
	slices.SortFunc(out, func(a, b Request) int {
		return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// take finds an open question and keeps others from answering it meanwhile.
func (p *Pending) take(id string) (*question, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune()
	q, ok := p.all[strings.ToLower(strings.TrimSpace(id))]
	switch {
	case !ok:
		return nil, fmt.Errorf("there is no open question %s; `%s pending` lists them", Escape(id), p.store.opt.Command)
	case !q.Open:
		return nil, fmt.Errorf("question %s is answered already", q.ID)
	case q.answering:
		return nil, fmt.Errorf("question %s is being answered by somebody else", q.ID)
	}
	q.answering = true
	return q, nil
}

// Approve allows what was asked. The grant stands on disk before anybody hears
// of it; if the disk refuses, the approval counts all the same, and the error
// wraps ErrNotSaved. Who may approve is the caller's business.
func (p *Pending) Approve(id string, a Answer, by By) (Grant, error) {
	q, err := p.take(id)
	if err != nil {
		return Grant{}, err
	}
	g, err := offer(q.Ask, a)
	if err == nil {
		g.By = by
		if g.Scope == Until {
			g.Expires = p.now().Add(a.For)
		}
		if g.Scope == Once {
			g.Expires = p.now().Add(OpenFor)
		}
		p.store.know(q.Session)
		g, err = p.store.Add(g)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !errors.Is(err, ErrNotSaved) {
		q.answering = false
		return Grant{}, err
	}
	if g.Scope == Once {
		q.once = g.ID
	}
	if times := p.asks[q.Session.Key]; len(times) > 0 {
		p.asks[q.Session.Key] = times[:len(times)-1]
	}
	p.close(q, Outcome{Verdict: policy.VerdictAllow, Grant: g.ID, By: by})
	return g, err
}

// Deny refuses what was asked, with a reason that the driver reads.
func (p *Pending) Deny(id, reason string, by By) error {
	q, err := p.take(id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.close(q, Outcome{Verdict: policy.VerdictBlock, Reason: reason, By: by, Text: Denied(q.Line, reason)})
	return nil
}

// Cancel closes a question whose shell gave up.
func (p *Pending) Cancel(id string) error {
	q, err := p.take(id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.close(q, Outcome{Verdict: policy.VerdictBlock, Text: "extdir: blocked: " + short(q.Line) + ": given up"})
	return nil
}

// EndSession closes the questions of a session that ended.
func (p *Pending) EndSession(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asks, key)
	for _, q := range p.all {
		if q.Session.Key == key && q.Open && !q.answering {
			p.close(q, Outcome{Verdict: policy.VerdictBlock, Text: "extdir: blocked: " + short(q.Line) + ": its session ended"})
		}
	}
}

// Wait holds until a question is answered or the context is done; then the
// outcome is VerdictPrompt, and the question stays open. A grant for once goes
// to one waiting shell alone.
func (p *Pending) Wait(ctx context.Context, id string) (Outcome, error) {
	p.mu.Lock()
	p.prune()
	q, ok := p.all[id]
	if !ok {
		p.mu.Unlock()
		return Outcome{}, fmt.Errorf("there is no question %s", Escape(id))
	}
	q.Waiting++
	left := q.Expires.Sub(p.now())
	p.mu.Unlock()

	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-q.done:
	case <-ctx.Done():
	case <-timer.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q.Waiting--
	p.prune()
	o := q.Outcome
	if q.Open || q.once == "" {
		return o, nil
	}
	if !p.store.claim(q.once) {
		return Outcome{
			Verdict: policy.VerdictBlock, By: o.By,
			Text: "extdir: blocked: " + short(q.Line) + ": it was allowed once, and has been run",
		}, nil
	}
	return o, nil
}

// Take is Wait without waiting: for a shell whose own terminal gave the answer,
// so that what was allowed once isn't left for another run.
func (p *Pending) Take(id string) (Outcome, error) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	return p.Wait(done, id)
}

// claim uses up a grant for once.
func (s *Store) claim(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.grants[id]
	if g == nil || s.expired(g) {
		return false
	}
	s.remove(id)
	return true
}

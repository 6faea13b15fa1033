package server

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// errLate: a job took longer than it may. It goes on behind our back.
var errLate = errors.New("took too long to judge")

// panicked is the error of a job that panicked.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("internal error: %v", p.value) }

// pool runs jobs on a few goroutines that stay: a parser's stack is grown once
// and kept, and however many lines come in, only so many are judged at a time. A
// job can hang where Go can't take it back (a stat on a dead network mount): then
// it is given up and another worker takes its place, up to a limit beyond which
// lines are refused rather than the memory filled.
type pool struct {
	jobs chan *job
	late chan struct{} // one token for each worker that was given up
	quit chan struct{}
}

const maxLate = 64

type job struct {
	run   func()
	err   error
	done  chan struct{}
	given chan struct{} // closed when the caller gave it up
}

func newPool() *pool {
	p := &pool{jobs: make(chan *job), late: make(chan struct{}, maxLate), quit: make(chan struct{})}
	for range max(2, runtime.GOMAXPROCS(0)) {
		go p.work()
	}
	return p
}

func (p *pool) close() { close(p.quit) }

func (p *pool) work() {
	for {
		select {
		case j := <-p.jobs:
			j.do()
			select {
			case <-j.given: // somebody else works in this place by now
				<-p.late
				return
			default:
			}
		case <-p.quit:
			return
		}
	}
}

func (j *job) do() {
	defer close(j.done)
	defer func() {
		if v := recover(); v != nil {
			j.err = &panicked{v, debug.Stack()}
		}
	}()
	j.run()
}

// run runs f on a worker and waits for it, at most limit in all. After errLate f
// may still be running: it must not write to anything the caller reads then.
func (p *pool) run(ctx context.Context, limit time.Duration, f func()) error {
	t := time.NewTimer(limit)
	defer t.Stop()
	j := &job{run: f, done: make(chan struct{}), given: make(chan struct{})}
	select {
	case p.jobs <- j:
	case <-t.C:
		return errLate
	case <-ctx.Done():
		return ctx.Err()
	}
	var err error
	select {
	case <-j.done:
		return j.err
	case <-t.C:
		err = errLate
	case <-ctx.Done():
		err = ctx.Err()
	}
	select {
	case p.late <- struct{}{}:
		close(j.given)
		go p.work()
	default: // too many hang already: this worker stays where it is
	}
	return err
}

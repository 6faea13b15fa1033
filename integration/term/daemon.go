package term

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"extdir/hook/wire"
)

// Daemon is a stand-in for extdird. It judges a line by the words in it:
//
//	BLOCK      block
//	NEED       need (SetNeeds), then judged by what it was told, too
//	ASKTTY     prompt at the waiting terminal
//	ASK        prompt elsewhere: held until Answer, or for SetWait
//	SLEEP      allowed after three seconds
//	GARBAGE    a reply that is none
//
// All requests are kept in the order they came.
type Daemon struct {
	Socket string

	tb    testing.TB
	mu    sync.Mutex
	needs string        // of a need: "var:X func:f alias:a names:*"
	wait  time.Duration // of a prompt
	offer string        // of a prompt; "" leaves it out
	l     net.Listener
	conns map[net.Conn]bool
	got   []*wire.Request
	texts map[string]string // id → text of the detail
	lines map[string]string // id → line
	ids   int
	open  map[string]chan string // id of a prompt → its answer
	pid   int                    // of the peer that sent the last session
	dies  map[string]int         // kind → how many requests of it it will die of
}

// NewDaemon serves until the test ends. The socket lies in a directory of its
// own, as short as it can be: a socket's path may have 107 bytes.
func NewDaemon(tb testing.TB) *Daemon {
	tb.Helper()
	dir, err := os.MkdirTemp("", "xd")
	if err != nil {
		tb.Fatal(err)
	}
	d := &Daemon{
		Socket: filepath.Join(dir, "s"), needs: "names:*", wait: 2 * time.Second, tb: tb,
		conns: map[net.Conn]bool{}, texts: map[string]string{}, lines: map[string]string{}, open: map[string]chan string{},
		dies: map[string]int{},
	}
	tb.Cleanup(func() {
		d.Stop()
		os.RemoveAll(dir)
	})
	d.Start()
	return d
}

// SetNeeds sets what a need asks for: "var:X func:f alias:a names:*".
func (d *Daemon) SetNeeds(needs string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.needs = needs
}

// SetOffer sets which answers a prompt at the terminal offers: "once session".
func (d *Daemon) SetOffer(offer string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.offer = offer
}

// SetWait sets how long a prompt waits for Answer.
func (d *Daemon) SetWait(wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wait = wait
}

// DieOf makes the next requests of a kind the daemon's last ones: it stops without
// a word of reply. Start brings it back, with no memory of what was asked before.
func (d *Daemon) DieOf(kind string, times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dies[kind] = times
}

func (d *Daemon) diesOf(kind string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dies[kind] == 0 {
		return false
	}
	d.dies[kind]--
	clear(d.lines)
	clear(d.texts)
	clear(d.open)
	return true
}

// Revived is the path of a program that, run in place of extdird, brings a daemon
// back that was stopped.
func (d *Daemon) Revived() (exe string) {
	d.tb.Helper()
	dir := TempDir(d.tb)
	exe, seen := filepath.Join(dir, "extdird"), filepath.Join(dir, "seen")
	Program(d.tb, exe, []byte("#!/bin/sh\n: >"+seen+"\n"))
	over := make(chan bool)
	d.tb.Cleanup(func() { close(over) })
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(2 * time.Millisecond):
			}
			if os.Remove(seen) == nil {
				d.Start()
			}
		}
	}()
	return exe
}

// Start takes the place again after Stop.
func (d *Daemon) Start() {
	d.tb.Helper()
	l, err := net.Listen("unix", d.Socket)
	if err != nil {
		d.tb.Fatal(err)
	}
	d.mu.Lock()
	d.l = l
	d.mu.Unlock()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			d.conns[c] = true
			d.mu.Unlock()
			go d.serve(c)
		}
	}()
}

// Stop ends the daemon as a kill would: connections break, nobody listens.
func (d *Daemon) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.l != nil {
		d.l.Close()
		d.l = nil
	}
	for c := range d.conns {
		c.Close()
	}
	d.conns = map[net.Conn]bool{}
}

// Hang keeps the socket and answers nobody until the function it returns is
// called, as a stopped process does.
func (d *Daemon) Hang() (wake func()) {
	d.mu.Lock()
	return d.mu.Unlock
}

func (d *Daemon) serve(c net.Conn) {
	defer c.Close()
	for {
		req, _, err := wire.ReadRequest(c, nil)
		if err != nil {
			return
		}
		d.mu.Lock()
		if req.Kind == "session" {
			d.pid = peerPid(c)
		}
		d.got = append(d.got, req)
		d.mu.Unlock()
		if d.diesOf(req.Kind) {
			d.Stop()
			return
		}
		rep, body := d.judge(req)
		rep.Seq = req.Get("seq")
		b := rep.Append(nil)
		if strings.Contains(req.Get("line"), "GARBAGE") {
			b = []byte(strings.Repeat("#", wire.ReplyLen-1) + "\n")
		}
		if _, err := c.Write(append(b, body...)); err != nil {
			return
		}
	}
}

func (d *Daemon) judge(req *wire.Request) (wire.Reply, []byte) {
	id := req.Get("id")
	switch req.Kind {
	case "check":
		line := req.Get("line")
		if strings.Contains(line, "SLEEP") {
			time.Sleep(3 * time.Second)
		}
		if strings.Contains(line, "NEED") && !strings.Contains(line, "BLOCK") {
			return wire.Reply{Verdict: wire.NeedIt, Arg: d.enter(line, "")}, nil
		}
		if req.Get("hist") == "off" {
			return wire.Reply{Verdict: wire.Block, Arg: d.enter("", "extdir: blocked: cannot see this line (history is off)")}, nil
		}
		return d.verdict(line), nil
	case "tell":
		d.mu.Lock()
		line := d.lines[id]
		d.mu.Unlock()
		for _, f := range req.Fields {
			line += "\n" + f.Key + "=" + f.Value
		}
		return d.verdict(line), nil
	case "detail":
		d.mu.Lock()
		if _, ok := d.lines[id]; !ok {
			d.mu.Unlock()
			return wire.Reply{Verdict: wire.Error, Arg: "id"}, nil
		}
		ask := "outside"
		if strings.Contains(d.lines[id], "ASKTTY") {
			ask = "terminal"
		}
		var offer []wire.Field
		if d.offer != "" {
			offer = []wire.Field{{Key: "offer", Value: d.offer}}
		}
		body := wire.AppendFields(nil, append(offer,
			wire.Field{Key: "text", Value: d.texts[id]},
			wire.Field{Key: "needs", Value: d.needs},
			wire.Field{Key: "ask", Value: ask},
			wire.Field{Key: "wait", Value: fmt.Sprint(d.wait.Milliseconds())},
		))
		d.mu.Unlock()
		return wire.Reply{Verdict: wire.Body, Arg: fmt.Sprint(len(body))}, body
	case "wait":
		d.mu.Lock()
		ch, wait := d.open[id], d.wait
		d.mu.Unlock()
		select {
		case a := <-ch:
			return d.answered(a), nil
		case <-time.After(wait):
			return wire.Reply{Verdict: wire.Block, Arg: d.enter("", "extdir: waiting for a person: extdird approve "+id+", then run the same line again")}, nil
		}
	case "answer":
		return d.answered(req.Get("choice")), nil
	case "session":
		body := wire.AppendFields(nil, []wire.Field{{Key: "id", Value: "s1"}})
		return wire.Reply{Verdict: wire.Body, Arg: fmt.Sprint(len(body))}, body
	case "ping":
		return wire.Reply{Verdict: wire.OK, Arg: "fake"}, nil
	}
	return wire.Reply{Verdict: wire.OK}, nil
}

func (d *Daemon) answered(choice string) wire.Reply {
	if choice == "once" || choice == "session" {
		return wire.Reply{Verdict: wire.Allow}
	}
	return wire.Reply{Verdict: wire.Block, Arg: d.enter("", "extdir: blocked: a person said no")}
}

func (d *Daemon) verdict(line string) wire.Reply {
	switch {
	case strings.Contains(line, "BLOCK"):
		return wire.Reply{Verdict: wire.Block, Arg: d.enter(line, "extdir: blocked: the line holds a forbidden word")}
	case strings.Contains(line, "ASK"):
		id := d.enter(line, "extdir: a person is asked")
		d.mu.Lock()
		d.open[id] = make(chan string, 1)
		d.mu.Unlock()
		return wire.Reply{Verdict: wire.Prompt, Arg: id}
	}
	return wire.Reply{Verdict: wire.Allow}
}

func (d *Daemon) enter(line, text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ids++
	id := fmt.Sprintf("d%d", d.ids)
	d.lines[id], d.texts[id] = line, text
	return id
}

// Answer ends the prompt that is open, as a person elsewhere would.
func (d *Daemon) Answer(choice string) {
	d.tb.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		d.mu.Lock()
		for id, ch := range d.open {
			if len(ch) == 0 && d.lines[id] != "" {
				d.lines[id] = "" // answered once
				d.mu.Unlock()
				ch <- choice
				return
			}
		}
		d.mu.Unlock()
	}
	d.tb.Fatal("no prompt is open")
}

// Requests are the requests of a kind so far.
func (d *Daemon) Requests(kind string) []*wire.Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []*wire.Request
	for _, r := range d.got {
		if r.Kind == kind {
			out = append(out, r)
		}
	}
	return out
}

// Checked are the lines that were checked since the last call of Forget.
func (d *Daemon) Checked() []string {
	var out []string
	for _, r := range d.Requests("check") {
		out = append(out, r.Get("line"))
	}
	return out
}

// SessionPid is the process that made itself the anchor of a session.
func (d *Daemon) SessionPid() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pid
}

// Forget drops the requests so far.
func (d *Daemon) Forget() {
	d.mu.Lock()
	d.got = nil
	d.mu.Unlock()
}

// WaitFor waits until a request of a kind has come.
func (d *Daemon) WaitFor(kind string) *wire.Request {
	d.tb.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if all := d.Requests(kind); len(all) > 0 {
			return all[len(all)-1]
		}
	}
	d.tb.Fatalf("the daemon was sent no %s", kind)
	return nil
}

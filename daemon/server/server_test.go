package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"extdir/daemon/session"
	"extdir/hook/wire"
)

// serve runs a server of o on a socket and returns the socket's path.
func serve(t *testing.T, o Options, change func(*Server)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if o.Peer == nil {
		o.Peer = session.PeerOf
	}
	if o.Version == "" {
		o.Version = "test"
	}
	s := New(o)
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("Serve doesn't end")
		}
	})
	return path
}

func ask(t *testing.T, path, kind string, kv ...string) (wire.Reply, []byte) {
	t.Helper()
	c, err := wire.Dial(path, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	req := &wire.Request{Kind: kind}
	for i := 0; i < len(kv); i += 2 {
		req.Add(kv[i], kv[i+1])
	}
	rep, body, err := c.Ask(req)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return rep, body
}

func TestPing(t *testing.T) {
	path := serve(t, Options{Version: "1.2.3"}, nil)
	if rep, _ := ask(t, path, "ping", "seq", "7"); rep != (wire.Reply{Seq: "7", Verdict: wire.OK, Arg: "1.2.3"}) {
		t.Errorf("got %v", rep)
	}
	if rep, _ := ask(t, path, "no such kind"); rep.Verdict != wire.Error || rep.Arg != "kind" {
		t.Errorf("unknown kind: %v", rep)
	}
}

func TestManyRequestsOneConnection(t *testing.T) {
	path := serve(t, Options{}, nil)
	c, err := wire.Dial(path, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 100 {
		seq := fmt.Sprint(i)
		rep, _, err := c.Ask(&wire.Request{Kind: "ping", Fields: []wire.Field{{Key: "seq", Value: seq}}})
		if err != nil || rep.Seq != seq {
			t.Fatalf("request %d: %v, %v", i, rep, err)
		}
	}
}

func TestOtherUserIsClosedUnread(t *testing.T) {
	path := serve(t, Options{Peer: func(*net.UnixConn) (session.Peer, error) {
		return session.Peer{Pid: 1, UID: os.Geteuid() + 1, Pidfd: -1}, nil
	}}, nil)
	unknown := serve(t, Options{Peer: func(*net.UnixConn) (session.Peer, error) {
		return session.Peer{Pidfd: -1}, errors.New("the kernel doesn't say")
	}}, nil)
	for _, path := range []string{path, unknown} {
		nc, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		nc.SetDeadline(time.Now().Add(5 * time.Second))
		if b, err := io.ReadAll(nc); len(b) != 0 || err != nil {
			t.Errorf("got %q, %v; want the connection closed", b, err)
		}
		nc.Close()
	}
}

// Peers that are gone before they are looked at take nothing with them: what is
// known of them is no descriptor to close.
func TestPeersThatAreGone(t *testing.T) {
	n := 0
	path := serve(t, Options{Peer: func(nc *net.UnixConn) (session.Peer, error) {
		if n++; n%2 == 1 {
			return session.Peer{}, errors.New("it has ended")
		}
		return session.PeerOf(nc)
	}}, nil)
	for range 20 {
		if nc, err := net.Dial("unix", path); err == nil {
			nc.Close()
		}
		if rep, _ := ask(t, path, "ping"); rep.Verdict != wire.OK {
			t.Fatal(rep)
		}
	}
}

// Whatever bytes come in, the connection is answered or closed, and the next
// peer is served.
func TestRandomBytes(t *testing.T) {
	path := serve(t, Options{}, nil)
	rnd := rand.New(rand.NewPCG(3, 4))
	good := (&wire.Request{Kind: "ping", Fields: []wire.Field{{Key: "seq", Value: "1"}}}).Append(nil)
	for range 500 {
		b := bytes.Clone(good)
		for range rnd.IntN(4) {
			b[rnd.IntN(len(b))] = byte(rnd.Uint32())
		}
		b = b[:rnd.IntN(len(b)+1)]
		nc, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		nc.SetDeadline(time.Now().Add(5 * time.Second))
		nc.Write(b)
		nc.(*net.UnixConn).CloseWrite()
		out, err := io.ReadAll(nc)
		if err != nil || len(out)%wire.ReplyLen != 0 {
			t.Fatalf("%q: %q, %v", b, out, err)
		}
		nc.Close()
	}
	if rep, _ := ask(t, path, "ping"); rep.Verdict != wire.OK {
		t.Error(rep)
	}
}

func TestSlowAndLong(t *testing.T) {
	path := serve(t, Options{}, func(s *Server) { s.lim.request = 100 * time.Millisecond })
	dial := func() net.Conn {
		nc, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		nc.SetDeadline(time.Now().Add(5 * time.Second))
		t.Cleanup(func() { nc.Close() })
		return nc
	}
	for name, send := range map[string]string{"silent": "", "half a request": "extdir 1\x00pi"} {
		nc := dial()
		begin := time.Now()
		io.WriteString(nc, send)
		if b, err := io.ReadAll(nc); err != nil || len(b) != 0 {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		if d := time.Since(begin); d < 50*time.Millisecond || d > 3*time.Second {
			t.Errorf("%s: closed after %v", name, d)
		}
	}
	// After its first request a connection may be idle, but not slow.
	nc := dial()
	nc.Write((&wire.Request{Kind: "ping"}).Append(nil))
	line := make([]byte, wire.ReplyLen)
	if _, err := io.ReadFull(nc, line); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	nc.Write((&wire.Request{Kind: "ping"}).Append(nil))
	if _, err := io.ReadFull(nc, line); err != nil {
		t.Errorf("idle connection: %v", err)
	}
	io.WriteString(nc, "extdir 1\x00pi")
	if b, err := io.ReadAll(nc); err != nil || len(b) != 0 {
		t.Errorf("slow second request: %q, %v", b, err)
	}

	long := dial()
	go io.WriteString(long, "extdir 1\x00check\x00line="+strings.Repeat("x", wire.MaxRequest))
	b, err := io.ReadAll(long) // what we sent and it didn't read may reset the connection
	if rep, perr := wire.ParseReply(b); perr == nil && rep.Arg != "long" || perr != nil && err == nil {
		t.Errorf("a request of more than 1 MiB: %q, %v", b, err)
	}
}

// Three hundred peers that send a byte now and then take nothing from one that
// asks properly.
func TestSlowLoris(t *testing.T) {
	path := serve(t, Options{}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range 300 {
		wg.Go(func() {
			for ctx.Err() == nil {
				nc, err := net.Dial("unix", path)
				if err != nil {
					return
				}
				for _, b := range []byte("extdir 1\x00check\x00line=ls\x00\x00") {
					if _, err := nc.Write([]byte{b}); err != nil {
						break
					}
					select {
					case <-ctx.Done():
					case <-time.After(300 * time.Millisecond):
					}
				}
				nc.Close()
			}
		})
	}
	time.Sleep(200 * time.Millisecond)
	var took []time.Duration
	for range 100 {
		begin := time.Now()
		if rep, _ := ask(t, path, "ping"); rep.Verdict != wire.OK {
			t.Fatal(rep)
		}
		took = append(took, time.Since(begin))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	t.Logf("p50 %v, p99 %v", took[50], took[98])
	if took[98] > 5*time.Second {
		t.Errorf("p99 is %v", took[98])
	}
}

// More clients at once than connections are allowed: all are answered in turn.
func TestCrowd(t *testing.T) {
	path := serve(t, Options{}, nil)
	const n = 2000
	sem := make(chan bool, 600)
	var wg sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for range n {
		sem <- true
		wg.Go(func() {
			defer func() { <-sem }()
			c, err := wire.Dial(path, 10*time.Second)
			if err == nil {
				defer c.Close()
				_, _, err = c.Ask(&wire.Request{Kind: "ping"})
			}
			if err != nil {
				mu.Lock()
				failed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed > 0 {
		t.Errorf("%d of %d were not answered", failed, n)
	}
}

// A handler that panics costs its own request a refusal with an incident, and
// the log tells the rest.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	handlers["panic"] = handler{verdict: true, handle: func(context.Context, *conn, *wire.Request) reply { panic("for the test") }}
	handlers["panic-text"] = handler{handle: func(context.Context, *conn, *wire.Request) reply { panic("for the test") }}
	t.Cleanup(func() { delete(handlers, "panic"); delete(handlers, "panic-text") })
	path := serve(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	rep, _ := ask(t, path, "panic")
	if rep.Verdict != wire.Block || rep.Arg == "" {
		t.Fatalf("got %v, want a refusal with an id", rep)
	}
	if _, body := ask(t, path, "panic-text"); !strings.Contains(string(body), "internal error") {
		t.Errorf("got %q", body)
	}
	if rep, _ := ask(t, path, "ping"); rep.Verdict != wire.OK {
		t.Error(rep)
	}
}

func TestPool(t *testing.T) {
	p := newPool()
	defer p.close()
	ctx := context.Background()
	if err := p.run(ctx, time.Second, func() {}); err != nil {
		t.Error(err)
	}
	var pan *panicked
	if err := p.run(ctx, time.Second, func() { panic("x") }); !errors.As(err, &pan) || len(pan.stack) == 0 {
		t.Errorf("panic: %v", err)
	}
	// Jobs that hang are given up, and others are still run.
	hang := make(chan bool)
	for range 20 {
		if err := p.run(ctx, 5*time.Millisecond, func() { <-hang }); !errors.Is(err, errLate) {
			t.Fatalf("a job that hangs: %v", err)
		}
	}
	if err := p.run(ctx, time.Second, func() {}); err != nil {
		t.Errorf("after jobs that hang: %v", err)
	}
	close(hang)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := p.run(gone, time.Second, func() { time.Sleep(10 * time.Millisecond) }); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestShellsForgetTheOldest(t *testing.T) {
	s := newShells()
	id := func(n int) session.ID { return session.ID{Pid: n} }
	s.set(id(0), shell{known: true})
	for n := range maxShells + 100 {
		s.get(id(0))
		s.set(id(n+1), shell{known: true})
	}
	if !s.get(id(0)).known {
		t.Error("the shell in use was forgotten")
	}
	if s.get(id(1)).known {
		t.Error("the oldest is still there")
	}
	if len(s.m) > maxShells {
		t.Errorf("%d shells are kept", len(s.m))
	}
}

func TestBookForgetsTheOldest(t *testing.T) {
	b := newBook()
	for n := range bookSize + 10 {
		b.put(fmt.Sprint(n), &entry{})
	}
	if _, ok := b.get("0"); ok {
		t.Error("the oldest is still there")
	}
	if _, ok := b.get(fmt.Sprint(bookSize + 9)); !ok || len(b.entries) != bookSize {
		t.Errorf("%d entries", len(b.entries))
	}
}

package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func request(kind string, kv ...string) *Request {
	r := &Request{Kind: kind}
	for i := 0; i < len(kv); i += 2 {
		r.Add(kv[i], kv[i+1])
	}
	return r
}

func TestRequestRoundTrip(t *testing.T) {
	for _, r := range []*Request{
		request("ping"),
		request("check", "line", "echo a=b\nc", "cwd", "/\xff\xfe", "empty", ""),
		request("tell", "var.x", "1", "var.x", "2"),
	} {
		b := r.Append(nil)
		got, _, err := ReadRequest(iotest.OneByteReader(bytes.NewReader(b)), nil)
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if again := got.Append(nil); !bytes.Equal(again, b) {
			t.Errorf("got %q, want %q", again, b)
		}
	}
}

func TestReaderKeepsWhatWasSentAhead(t *testing.T) {
	b := request("check", "line", "ls").Append(nil)
	b = request("ping").Append(b)
	b = request("wait", "id", "7f3").Append(b)
	for name, r := range map[string]io.Reader{
		"at once":      bytes.NewReader(b),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(b)),
		"data and EOF": iotest.DataErrReader(bytes.NewReader(b)),
	} {
		d := NewReader(r)
		for _, kind := range []string{"check", "ping", "wait"} {
			req, err := d.Next()
			if err != nil || req.Kind != kind {
				t.Fatalf("%s: %v, %v; want %s", name, req, err, kind)
			}
		}
		if _, err := d.Next(); err != io.EOF {
			t.Fatalf("%s: at the end: %v", name, err)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	long := request("check", "line", strings.Repeat("x", MaxRequest)).Append(nil)
	for _, c := range []struct {
		in   string
		want error
	}{
		{"", io.EOF},
		{"extdir 1\x00ping\x00", ErrMalformed},
		{"extdir 1\x00\x00", ErrMalformed},
		{"extdir 2\x00ping\x00\x00", ErrVersion},
		{"extdir 11\x00ping\x00\x00", ErrVersion},
		{"GET / HTTP/1.1\r\n\x00\x00", ErrMalformed},
		{"extdir 1\x00ping\x00noequals\x00\x00", ErrMalformed},
		{"extdir 1\x00ping\x00=value\x00\x00", ErrMalformed},
		{"\x00\x00", ErrMalformed},
		{string(long), ErrTooLong},
		{strings.Repeat("a", MaxRequest+1), ErrTooLong},
	} {
		if _, err := NewReader(strings.NewReader(c.in)).Next(); !errors.Is(err, c.want) {
			t.Errorf("%.40q: %v, want %v", c.in, err, c.want)
		}
	}
}

func TestReaderBegun(t *testing.T) {
	pr, pw := io.Pipe()
	d := NewReader(pr)
	begun := make(chan bool, 8)
	d.Begun = func() { begun <- true }
	go func() {
		pw.Write([]byte("extdir 1\x00pi"))
		pw.Write([]byte("ng\x00"))
		pw.Write([]byte("\x00"))
	}()
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	if len(begun) != 1 {
		t.Errorf("Begun was called %d times for one request in three pieces", len(begun))
	}
}

// Random frames, and random damage to good ones: each gives a request or an
// error, and what was read as a request reads the same again.
func TestRandomFrames(t *testing.T) {
	const alphabet = "\x00\x00=extdir 1\xff"
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	good := request("check", "line", "cat /etc/passwd", "cwd", "/w", "seq", "1").Append(nil)
	for range n {
		var b []byte
		if rnd.IntN(2) == 0 {
			b = make([]byte, rnd.IntN(200))
			for i := range b {
				b[i] = alphabet[rnd.IntN(len(alphabet))]
			}
		} else {
			b = bytes.Clone(good)
			for range 1 + rnd.IntN(4) {
				b[rnd.IntN(len(b))] = byte(rnd.Uint32())
			}
			b = b[:rnd.IntN(len(b)+1)]
		}
		checkFrame(t, b)
	}
}

func checkFrame(t *testing.T, b []byte) {
	d := NewReader(bytes.NewReader(b))
	for {
		req, err := d.Next()
		if err != nil {
			if req != nil {
				t.Fatalf("%q: a request and an error", b)
			}
			return
		}
		again, err := NewReader(bytes.NewReader(req.Append(nil))).Next()
		if err != nil || again.Kind != req.Kind || len(again.Fields) != len(req.Fields) {
			t.Fatalf("%q: %v reads as %v (%v)", b, req, again, err)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add(request("check", "line", "ls").Append(nil))
	f.Add([]byte("extdir 1\x00ping\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) { checkFrame(t, b) })
}

func FuzzReply(f *testing.F) {
	f.Add(Reply{Seq: "1", Verdict: Allow}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseReply(b)
		if err != nil {
			return
		}
		again, err := ParseReply(r.Append(nil))
		if err != nil || again != r {
			t.Fatalf("%q: %v reads as %v (%v)", b, r, again, err)
		}
	})
}

func TestReply(t *testing.T) {
	for _, r := range []Reply{
		{"1", Allow, ""},
		{"-", Block, "7f3a"},
		{"4294967295", Body, "1048576"},
	} {
		b := r.Append(nil)
		if len(b) != ReplyLen || b[ReplyLen-1] != '\n' {
			t.Errorf("%v: reply line %q", r, b)
		}
		if got, err := ParseReply(b); err != nil || got != r {
			t.Errorf("got %v, %v; want %v", got, err, r)
		}
	}
	// A seq that doesn't fit is cut, so that the asker doesn't take the reply for its own.
	long := Reply{Seq: strings.Repeat("9", 100), Verdict: Block, Arg: "id"}
	got, err := ParseReply(long.Append(nil))
	if err != nil || got.Seq == long.Seq || got.Verdict != Block || got.Arg != "id" {
		t.Errorf("long seq: %v, %v", got, err)
	}
	for _, bad := range []string{"", "1 - allow\n", strings.Repeat("x", 63) + "\n", "2 - allow" + strings.Repeat(" ", 54) + "\n", "1 allow" + strings.Repeat(" ", 56) + "\n"} {
		if _, err := ParseReply([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// serve answers requests on a socket in dir with answer's bytes.
func serve(t *testing.T, dir string, answer func(*Request) []byte) string {
	t.Helper()
	path := filepath.Join(dir, "s")
	fd, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := SocketAddr(fd, dir, "s")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: addr.Name, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				d := NewReader(c)
				for {
					req, err := d.Next()
					if err != nil {
						return
					}
					c.Write(answer(req))
				}
			}()
		}
	}()
	return path
}

func privateDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAsk(t *testing.T) {
	// A directory deeper than a socket address can hold.
	dir := filepath.Join(privateDir(t), strings.Repeat("d/", 100))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := serve(t, dir, func(r *Request) []byte {
		switch r.Kind {
		case "status":
			return append(Reply{Seq: r.Get("seq"), Verdict: Body, Arg: "5"}.Append(nil), "hello"...)
		case "late":
			time.Sleep(time.Second)
		case "other":
			return Reply{Seq: "99", Verdict: Allow}.Append(nil)
		}
		return Reply{Seq: r.Get("seq"), Verdict: Allow}.Append(nil)
	})
	c, err := Dial(path, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if r, _, err := c.Ask(request("check", "seq", "3")); err != nil || r != (Reply{"3", Allow, ""}) {
		t.Errorf("check: %v, %v", r, err)
	}
	if _, b, err := c.Ask(request("status")); err != nil || string(b) != "hello" {
		t.Errorf("status: %q, %v", b, err)
	}
	if _, _, err := c.Ask(request("other", "seq", "4")); !errors.Is(err, ErrReply) {
		t.Errorf("a reply to another request: %v", err)
	}
	c.SetTimeout(50 * time.Millisecond)
	begin := time.Now()
	if _, _, err := c.Ask(request("late")); !errors.Is(err, ErrTimeout) || time.Since(begin) > 900*time.Millisecond {
		t.Errorf("late reply: %v after %v", err, time.Since(begin))
	}
}

func TestDialRefuses(t *testing.T) {
	dir := privateDir(t)
	if _, err := Dial(filepath.Join(dir, "s"), time.Second); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("no socket: %v", err)
	}
	if _, err := Dial(filepath.Join(dir, "missing", "s"), time.Second); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("no directory: %v", err)
	}
	path := serve(t, dir, func(*Request) []byte { return nil })
	link := filepath.Join(privateDir(t), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(filepath.Join(link, "s"), time.Second); !errors.Is(err, ErrForeign) {
		t.Errorf("directory by a symlink: %v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(path, time.Second); !errors.Is(err, ErrForeign) {
		t.Errorf("directory open to others: %v", err)
	}
	file := filepath.Join(privateDir(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(filepath.Join(file, "s"), time.Second); !errors.Is(err, ErrForeign) {
		t.Errorf("file in the directory's place: %v", err)
	}
}

// TestGone: a daemon that dies before it says anything is no daemon; one that dies
// in the middle is not understood.
func TestGone(t *testing.T) {
	long := strings.Repeat("x", MaxRequest-1000) // more than a socket takes at once
	for _, c := range []struct {
		name  string
		read  int // bytes of the request that it takes
		reply string
		want  error
	}{
		{"at once", 0, "", ErrGone},
		{"in the middle of the request", 100, "", ErrGone},
		{"after the request", MaxRequest, "", ErrGone},
		{"in the middle of the reply", MaxRequest, "1 3 al", ErrReply},
		{"in the middle of the body", MaxRequest, string(Reply{Seq: "3", Verdict: Body, Arg: "5"}.Append(nil)) + "he", ErrReply},
		{"before the body", MaxRequest, string(Reply{Seq: "3", Verdict: Body, Arg: "5"}.Append(nil)), ErrReply},
	} {
		for _, value := range []string{"ls", long} {
			t.Run(c.name, func(t *testing.T) {
				path := filepath.Join(privateDir(t), "s")
				l, err := net.Listen("unix", path)
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				go func() {
					nc, err := l.Accept()
					if err != nil {
						return
					}
					defer nc.Close()
					switch c.read {
					case 0:
					case MaxRequest:
						NewReader(nc).Next()
					default:
						nc.Read(make([]byte, c.read))
					}
					nc.Write([]byte(c.reply))
				}()
				conn, err := Dial(path, 5*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_, _, err = conn.Ask(request("check", "seq", "3", "line", value))
				if !errors.Is(err, c.want) || errors.Is(err, ErrNoDaemon) != (c.want == ErrGone) {
					t.Errorf("%v, want %v", err, c.want)
				}
			})
		}
	}
}

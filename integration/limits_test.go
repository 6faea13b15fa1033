package integration

import (
	"strings"
	"testing"
	"time"

	"extdir/hook/wire"
)

// What would end a careless parser: the daemon answers, and lives.
func TestHostileLines(t *testing.T) {
	s := newStage(t)
	s.serve()
	pid := s.daemonPid()
	for _, open := range []string{"(", "{ ", "$((", `"$(`, "if ", "time ", "[[ ! ", "f() ", "a=a="} {
		line := strings.Repeat(open, 1_000_000/len(open))
		conn, err := wire.Dial(s.dir+"/run/extdird.sock", 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		req := &wire.Request{Kind: "explain"}
		for _, kv := range [][2]string{{"line", line}, {"cwd", s.project}, {"home", s.home}, {"shell", "bash"}, {"root", s.project}, {"seq", "1"}} {
			req.Add(kv[0], kv[1])
		}
		rep, body, err := conn.Ask(req)
		conn.Close()
		if err != nil {
			t.Errorf("%q × %d: %v", open, 1_000_000/len(open), err)
			continue
		}
		if rep.Verdict != wire.Body || !strings.Contains(string(body), "prompt") {
			t.Errorf("%q: %v %.200s", open, rep, body)
		}
	}
	if now := s.daemonPid(); now != pid {
		t.Errorf("the daemon died: pid %d, then %d", pid, now)
	}
}

package daemon

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"extdir/hook/wire"
)

// BenchmarkCheck is what a line costs on the daemon's side of the socket, with a
// connection of its own, as extdir-hook makes it.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	p, err := FindPlace(dir)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan bool), make(chan error, 1)
	go func() { ended <- Serve(ctx, Options{Place: p, Version: "bench", Ready: func() { close(ready) }}) }()
	defer func() { cancel(); <-ended }()
	<-ready
	ask := func(req *wire.Request) wire.Reply {
		c, err := wire.Dial(p.Socket, 5*time.Second)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		rep, _, err := c.Ask(req)
		if err != nil {
			b.Fatal(err)
		}
		return rep
	}
	root := b.TempDir()
	ask(&wire.Request{Kind: "session", Fields: []wire.Field{{Key: "agent", Value: "bench"}, {Key: "root", Value: root}, {Key: "home", Value: dir}}})
	check := func(line string) *wire.Request {
		return &wire.Request{Kind: "check", Fields: []wire.Field{
			{Key: "line", Value: line},
			{Key: "cwd", Value: root},
			{Key: "home", Value: dir},
			{Key: "shell", Value: "bash"},
			{Key: "via", Value: "ps0"},
			{Key: "shpid", Value: strconv.Itoa(os.Getpid())},
			{Key: "opts", Value: "expand_aliases"},
		}}
	}
	if rep := ask(check("ls")); rep.Verdict == wire.NeedIt {
		ask(&wire.Request{Kind: "tell", Fields: []wire.Field{{Key: "id", Value: rep.Arg}, {Key: "names", Value: ""}}})
	}
	for name, line := range map[string]string{
		"short": "ls -la src",
		"usual": `cd src && grep -rn "needle" --include='*.go' . | head -20 && go test ./... 2>&1 | tail -5`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if rep := ask(check(line)); rep.Verdict != wire.Allow {
					b.Fatal(rep)
				}
			}
		})
	}
	b.Run("ping", func(b *testing.B) {
		for b.Loop() {
			ask(&wire.Request{Kind: "ping"})
		}
	})
}

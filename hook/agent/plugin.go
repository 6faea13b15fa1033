package agent

import (
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"time"
)

// OpenCode and pi have no hooks that run a program, but take plug-ins in JavaScript and
// TypeScript. Theirs hand each call to this program as {"tool","input","cwd"} and read
// {"reason"}; nothing on standard output and status 0 is no objection. The host waits for
// its plug-in as long as it takes.
func init() {
	for _, name := range []string{"opencode", "pi"} {
		register(&host{name: name, read: readPlugin, write: writePlugin, deadline: time.Hour})
	}
}

var (
	//go:embed opencode.js
	openCode string
	//go:embed pi.ts
	pi string
)

// Plugin is the plug-in of a host with the program and options that it is to run, ""
// for a host that takes none.
func Plugin(name string, argv []string) string {
	text := map[string]string{"opencode": openCode, "pi": pi}[name]
	words, err := json.Marshal(argv)
	if err != nil {
		return ""
	}
	return strings.Replace(text, `"@HOOK@"`, string(words), 1)
}

func readPlugin(payload []byte) (*call, error) {
	m, err := object(payload)
	if err != nil {
		return nil, err
	}
	c := &call{tool: text(m, "tool"), cwd: text(m, "cwd")}
	c.input, err = inputOf(m["input"])
	return c, err
}

func writePlugin(w io.Writer, _, why string) int {
	print(w, struct {
		Reason string `json:"reason"`
	}{why})
	return 2
}

package agent

import (
	"io"
	"time"
)

// Codex runs PreToolUse hooks of ~/.codex/hooks.json or config.toml (on by default
// since 0.124, skipped until the person trusts them) with Claude Code's payload. cwd is
// the session's, whatever the call's own workdir: the shell, which knows it, judges a
// relative name once more. There is no ask: a person is asked elsewhere, inside the
// deadline. A deny needs a reason; with exit status 2 standard error is read. A hook
// that fails or is late lets Codex go on by its own rules.
func init() {
	register(&host{name: "codex", read: readCodex, write: writeCodex, deadline: 60 * time.Second})
}

func readCodex(payload []byte) (*call, error) {
	c, err := readClaude(payload)
	if c != nil {
		c.asks = false
	}
	return c, err
}

func writeCodex(w io.Writer, verdict, why string) int {
	print(w, decided(verdict, why))
	reason(w, why)
	return 2
}

package agent

import (
	"io"
	"time"

	"extdir/hook"
)

// Claude Code runs PreToolUse hooks with this on standard input (code.claude.com,
// hooks; versions 1.0.60 to 2.1):
//
//	{"hook_event_name":"PreToolUse","session_id":…,"cwd":…,"permission_mode":"default",
//	 "tool_name":"Bash","tool_input":{"command":…}}
//
// A deny is JSON with exit status 0: with exit status 2 as well, versions before 2.1.90
// took neither. Its own question reaches a person but in the modes that ask nothing.
// A hook that is late or can't be started lets the call run; the shell below is
// guarded all the same, the file tools then aren't.
func init() {
	register(&host{name: "claude", read: readClaude, write: writeClaude, deadline: 60 * time.Second})
}

func readClaude(payload []byte) (*call, error) {
	m, err := object(payload)
	if err != nil {
		return nil, err
	}
	if e := text(m, "hook_event_name"); e != "" && e != "PreToolUse" {
		return nil, nil
	}
	c := &call{tool: text(m, "tool_name"), cwd: text(m, "cwd")}
	if c.input, err = inputOf(m["tool_input"]); err != nil {
		return nil, err
	}
	switch text(m, "permission_mode") {
	case "default", "acceptEdits", "plan":
		c.asks = true
	}
	return c, nil
}

// preToolUse is the decision of Claude Code, and of hosts that took it over.
type preToolUse struct {
	Out struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
}

func decided(verdict, why string) preToolUse {
	var d preToolUse
	d.Out.Event, d.Out.Decision, d.Out.Reason = "PreToolUse", "deny", why
	if verdict == hook.Ask {
		d.Out.Decision = "ask"
	}
	return d
}

func writeClaude(w io.Writer, verdict, why string) int {
	print(w, decided(verdict, why))
	return 0
}

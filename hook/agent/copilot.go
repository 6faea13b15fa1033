package agent

import (
	"io"
	"time"

	"extdir/hook"
)

// Copilot CLI runs preToolUse hooks of ~/.copilot/hooks/*.json with
//
//	{"sessionId":…,"cwd":…,"toolName":"bash","toolArgs":{"command":…}}
//
// toolArgs may be a string of JSON; VS Code's form is Claude Code's. The decision is flat;
// deny and ask are taken, a crash or any status but 0 is a deny, a late hook lets the call
// run. VS Code reads the nested form, so both are in the answer.
func init() {
	register(&host{name: "copilot", read: readCopilot, write: writeCopilot, deadline: 30 * time.Second})
}

func readCopilot(payload []byte) (*call, error) {
	m, err := object(payload)
	if err != nil {
		return nil, err
	}
	if e := text(m, "hook_event_name", "hookEventName"); e != "" && e != "PreToolUse" && e != "preToolUse" {
		return nil, nil
	}
	c := &call{tool: text(m, "toolName", "tool_name"), cwd: text(m, "cwd"), asks: true}
	args := m["toolArgs"]
	if args == nil {
		args = m["tool_input"]
	}
	c.input, err = inputOf(args)
	return c, err
}

func writeCopilot(w io.Writer, verdict, why string) int {
	d := struct {
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
		preToolUse
	}{"deny", why, decided(verdict, why)}
	if verdict == hook.Ask {
		d.Decision = "ask"
		print(w, d)
		return 0
	}
	print(w, d)
	return 2
}

package agent

import (
	"io"
	"time"
)

// Gemini CLI runs BeforeTool hooks (docs/hooks/reference.md of 2026) with
//
//	{"hook_event_name":"BeforeTool","cwd":…,"tool_name":"run_shell_command","tool_input":{"command":…,"dir_path":…}}
//
// decision deny with a reason blocks, exit status 2 with the reason on standard error
// does too, any other status is a warning. There is no ask. A late hook lets the call run.
func init() {
	register(&host{name: "gemini", read: readGemini, write: writeGemini, deadline: 60 * time.Second})
}

func readGemini(payload []byte) (*call, error) {
	m, err := object(payload)
	if err != nil {
		return nil, err
	}
	if e := text(m, "hook_event_name"); e != "" && e != "BeforeTool" {
		return nil, nil
	}
	c := &call{tool: text(m, "tool_name"), cwd: text(m, "cwd")}
	c.input, err = inputOf(m["tool_input"])
	return c, err
}

func writeGemini(w io.Writer, verdict, why string) int {
	print(w, struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}{"deny", why})
	reason(w, why)
	return 2
}

package agent

import (
	"encoding/json"
	"io"
	"time"

	"extdir/hook"
)

// Cursor runs hooks of .cursor/hooks.json: beforeShellExecution {command, cwd},
// beforeReadFile {file_path}, and preToolUse {tool_name, tool_input}. cwd may be empty,
// and hooks of the user run in ~/.cursor: then the workspace is meant. permission deny
// and ask are taken, exit status 2 is a deny. failClosed in the settings makes a hook
// that fails a deny.
func init() {
	register(&host{name: "cursor", read: readCursor, write: writeCursor, deadline: 60 * time.Second})
}

func readCursor(payload []byte) (*call, error) {
	m, err := object(payload)
	if err != nil {
		return nil, err
	}
	c := &call{cwd: text(m, "cwd"), asks: true}
	var workspaces []string
	if json.Unmarshal(m["workspace_roots"], &workspaces) == nil && c.cwd == "" && len(workspaces) > 0 {
		c.cwd = workspaces[0]
	}
	switch text(m, "hook_event_name") {
	case "beforeShellExecution":
		c.tool, c.input = "Shell", m
		delete(m, "cwd")
	case "beforeReadFile", "beforeTabFileRead":
		c.tool, c.input = "Read", map[string]json.RawMessage{"file_path": m["file_path"]}
	case "preToolUse":
		c.tool = text(m, "tool_name")
		c.input, err = inputOf(m["tool_input"])
	default:
		return nil, nil
	}
	return c, err
}

func writeCursor(w io.Writer, verdict, why string) int {
	d := struct {
		Permission string `json:"permission"`
		User       string `json:"user_message"`
		Agent      string `json:"agent_message"`
	}{"deny", why, why}
	if verdict == hook.Ask {
		d.Permission = "ask"
		print(w, d)
		return 0
	}
	print(w, d)
	return 2
}

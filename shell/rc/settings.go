package rc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"extdir/hook/agent"
)

// Agent is the part of an agent's host: an entry in its settings, or a plug-in. command
// is extdir-hook and its options, up to the host's name; config is the user's
// configuration directory ($XDG_CONFIG_HOME).
func Agent(name, home, config string, command []string) Part {
	words := append(append([]string(nil), command...), "agent", name)
	line := shellWords(words)
	at := func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	nested := func(event string, entry map[string]any, matcher string) []hook {
		return []hook{{event, map[string]any{"matcher": matcher, "hooks": []any{entry}}}}
	}
	switch name {
	case "claude":
		return settings(name, at(".claude/settings.json"), "", nested("PreToolUse", map[string]any{"type": "command", "command": line, "timeout": 60}, "*"))
	case "codex":
		return settings(name, at(".codex/hooks.json"), "", nested("PreToolUse", map[string]any{"type": "command", "command": line, "timeout": 60}, "*"))
	case "gemini":
		return settings(name, at(".gemini/settings.json"), "", nested("BeforeTool", map[string]any{"name": "extdir", "type": "command", "command": line, "timeout": 60000}, "*"))
	case "cursor":
		one := map[string]any{"command": line, "timeout": 60, "failClosed": true}
		rest := map[string]any{"command": line, "timeout": 60, "failClosed": true, "matcher": "Write|Edit|MultiEdit|Delete|Grep|Glob|LS|NotebookEdit|apply_patch"}
		return settings(name, at(".cursor/hooks.json"), `"version": 1`, []hook{{"beforeShellExecution", one}, {"beforeReadFile", one}, {"preToolUse", rest}})
	case "copilot":
		text, _ := json.MarshalIndent(map[string]any{
			"version": 1,
			"hooks":   map[string]any{"preToolUse": []any{map[string]any{"type": "command", "bash": line, "timeoutSec": 30}}},
		}, "", "  ")
		return Own(name, at(".copilot/hooks/extdir.json"), string(text)+"\n")
	case "opencode":
		return Own(name, filepath.Join(config, "opencode/plugins/extdir.js"), agent.Plugin(name, words))
	case "pi":
		return Own(name, at(".pi/agent/extensions/extdir.ts"), agent.Plugin(name, words))
	}
	return Part{}
}

// AgentDir is the directory that a host keeps in the user's home: it is there if the
// host was ever started.
func AgentDir(name, home, config string) string {
	switch name {
	case "opencode":
		return filepath.Join(config, "opencode")
	default:
		return filepath.Join(home, "."+name)
	}
}

// shellWords writes words as a shell reads them.
func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// hook is an entry in the list of an event.
type hook struct {
	event string
	entry map[string]any
}

// settings is the part of a JSON file with hooks by event. more is a member that a new
// file needs besides. Comments, order and layout of what is there stay.
func settings(name, file, more string, hooks []hook) Part {
	text := func() string {
		byEvent := map[string]any{}
		for _, h := range hooks {
			byEvent[h.event] = []any{h.entry}
		}
		b, _ := json.MarshalIndent(map[string]any{"hooks": byEvent}, "", "  ")
		return string(b)
	}
	return Part{
		Name: name, File: file, Text: text(),
		add: func(old []byte) ([]byte, error) {
			if has(old, hooks) {
				return old, nil
			}
			clean, err := without(old, file)
			if err != nil {
				return nil, err
			}
			return with(clean, file, more, hooks)
		},
		take: func(old []byte) ([]byte, error) { return without(old, file) },
	}
}

func parse(old []byte, file string) (hujson.Value, *hujson.Object, error) {
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte("{}\n")
	}
	v, err := hujson.Parse(old)
	if err != nil {
		return v, nil, fmt.Errorf("%s can't be read as JSON (%v)", file, err)
	}
	top, ok := v.Value.(*hujson.Object)
	if !ok {
		return v, nil, fmt.Errorf("%s is no JSON object", file)
	}
	return v, top, nil
}

func member(o *hujson.Object, name string) *hujson.Value {
	for i := range o.Members {
		if lit, ok := o.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			return &o.Members[i].Value
		}
	}
	return nil
}

// with adds the hooks, each at the end of its event's list.
func with(old []byte, file, more string, hooks []hook) ([]byte, error) {
	l := layoutOf(old)
	empty := len(bytes.TrimSpace(old)) == 0
	v, top, err := parse(old, file)
	if err != nil {
		return nil, err
	}
	if empty && more != "" {
		m, err := hujson.Parse([]byte("{" + more + "}"))
		if err != nil {
			return nil, err
		}
		first := m.Value.(*hujson.Object).Members[0]
		l.put(top, 0, first.Name.Value.(hujson.Literal).String(), hujson.Value{Value: first.Value.Value})
	}
	all := member(top, "hooks")
	if all == nil {
		l.put(top, 0, "hooks", hujson.Value{Value: &hujson.Object{}})
		all = member(top, "hooks")
	}
	events, ok := all.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s: \"hooks\" is no object", file)
	}
	for _, h := range hooks {
		list := member(events, h.event)
		if list == nil {
			l.put(events, 1, h.event, hujson.Value{Value: &hujson.Array{}})
			list = member(events, h.event)
		}
		array, ok := list.Value.(*hujson.Array)
		if !ok {
			return nil, fmt.Errorf("%s: \"hooks\", %q is no list", file, h.event)
		}
		if err := l.push(array, 2, h.entry); err != nil {
			return nil, err
		}
	}
	return v.Pack(), nil
}

// has tells whether a file holds just these hooks of ours.
func has(old []byte, hooks []hook) bool {
	std, err := hujson.Standardize(bytes.Clone(old))
	if err != nil {
		return false
	}
	var f struct {
		Hooks map[string][]json.RawMessage `json:"hooks"`
	}
	if json.Unmarshal(std, &f) != nil {
		return false
	}
	n := 0
	for _, list := range f.Hooks {
		for _, e := range list {
			if v, err := hujson.Parse(e); err == nil && runsHook(v) {
				n++
			}
		}
	}
	for _, h := range hooks {
		want, _ := json.Marshal(h.entry)
		if !slices.ContainsFunc(f.Hooks[h.event], func(e json.RawMessage) bool {
			var is any
			if json.Unmarshal(e, &is) != nil {
				return false
			}
			got, _ := json.Marshal(is)
			return bytes.Equal(got, want)
		}) {
			return false
		}
	}
	return n == len(hooks)
}

// layout is how a file writes a member or element of its own line.
type layout struct {
	unit string // what each level is moved in by; "" for a file on one line
	line bool
}

func layoutOf(old []byte) layout {
	text := bytes.TrimSpace(old)
	if len(text) == 0 || bytes.Equal(text, []byte("{}")) {
		return layout{"  ", true}
	}
	if !bytes.Contains(text, []byte("\n")) {
		return layout{}
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	in := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]
	if len(in) == 0 {
		return layout{"  ", true}
	}
	return layout{string(in), true}
}

// at is what stands before something on a level.
func (l layout) at(level int) hujson.Extra {
	if !l.line {
		return nil
	}
	return hujson.Extra("\n" + strings.Repeat(l.unit, level))
}

// put adds a member at the end of an object on a level.
func (l layout) put(o *hujson.Object, level int, name string, v hujson.Value) {
	m := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: l.at(level + 1), Value: hujson.String(name)}, Value: v}
	if l.line {
		m.Value.BeforeExtra = hujson.Extra(" ")
	}
	if len(o.Members) == 0 {
		o.AfterExtra = l.at(level)
	}
	o.Members = append(o.Members, m)
}

// push adds an element at the end of a list on a level.
func (l layout) push(a *hujson.Array, level int, entry any) error {
	b, err := json.Marshal(entry)
	if l.line {
		b, err = json.MarshalIndent(entry, strings.Repeat(l.unit, level+1), l.unit)
	}
	if err != nil {
		return err
	}
	e, err := hujson.Parse(b)
	if err != nil {
		return err
	}
	e.BeforeExtra = l.at(level + 1)
	if len(a.Elements) == 0 {
		a.AfterExtra = l.at(level)
	}
	a.Elements = append(a.Elements, e)
	return nil
}

// without takes the hooks out that run extdir-hook, and what is empty after that.
func without(old []byte, file string) ([]byte, error) {
	if len(bytes.TrimSpace(old)) == 0 || !bytes.Contains(old, []byte("extdir-hook")) {
		return old, nil
	}
	v, top, err := parse(old, file)
	if err != nil {
		return nil, err
	}
	all := member(top, "hooks")
	if all == nil {
		return old, nil
	}
	events, ok := all.Value.(*hujson.Object)
	if !ok {
		return old, nil
	}
	var keep []hujson.ObjectMember
	changed := false
	for _, m := range events.Members {
		array, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			keep = append(keep, m)
			continue
		}
		var elements []hujson.Value
		for _, e := range array.Elements {
			if !runsHook(e) {
				elements = append(elements, e)
			}
		}
		if len(elements) == len(array.Elements) {
			keep = append(keep, m)
			continue
		}
		changed = true
		if len(elements) > 0 {
			array.Elements = elements
			keep = append(keep, m)
		}
	}
	if !changed {
		return old, nil
	}
	events.Members = keep
	if len(keep) == 0 {
		for i := range top.Members {
			if lit, ok := top.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == "hooks" {
				top.Members = append(top.Members[:i:i], top.Members[i+1:]...)
				break
			}
		}
	}
	return v.Pack(), nil
}

// runsHook tells whether an entry runs extdir-hook for an agent, and nothing else.
func runsHook(v hujson.Value) bool {
	m := v.Clone()
	m.Standardize()
	var e struct {
		Command string                     `json:"command"`
		Bash    string                     `json:"bash"`
		Hooks   []struct{ Command string } `json:"hooks"`
	}
	if json.Unmarshal(m.Pack(), &e) != nil {
		return false
	}
	is := func(s string) bool { return strings.Contains(s, "extdir-hook") && strings.Contains(s, " agent ") }
	if is(e.Command) || is(e.Bash) {
		return true
	}
	for _, h := range e.Hooks {
		if !is(h.Command) {
			return false
		}
	}
	return len(e.Hooks) > 0
}

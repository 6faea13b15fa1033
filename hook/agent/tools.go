package agent

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
)

// work is what a tool does to this machine.
type work struct {
	line  string // for a shell
	cwd   string // "": the session's
	files []file
	tree  bool // what lies below the files is gone through
}

type file struct{ kind, name string }

// tools are the names that hosts give what touches files or runs lines, in lower case:
// Claude Code, Codex, Gemini CLI, Cursor, Copilot CLI, OpenCode, pi and their
// descendants, 2025 and 2026.
var tools = func() map[string]string {
	m := map[string]string{}
	for kind, names := range map[string]string{
		"shell": "bash shell run_shell_command execute_bash exec_command local_shell execute run_terminal_cmd run_command terminal",
		"read": `read read_file readfile view view_file view_image notebookread read_many_files open_file get_file cat
			beforereadfile`,
		"list":  "ls list list_directory list_dir listdir glob grep grep_search search_file_content codebase_search rg find search file_search",
		"write": "write write_file writefile edit edit_file multiedit notebookedit replace create create_file delete delete_file search_replace insert",
		"both":  "str_replace_editor str_replace_based_edit_tool move_file rename_file copy_file",
		"patch": "apply_patch applypatch patch",
	} {
		for n := range strings.FieldsSeq(names) {
			m[n] = kind
		}
	}
	return m
}()

// Keys of a tool's input.
var (
	lineKeys = []string{"command", "cmd", "script", "shell_command"}
	cwdKeys  = []string{"workdir", "dir_path", "directory", "cwd", "working_directory", "workingDirectory", "working_dir"}
	pathKeys = []string{
		"file_path", "filePath", "path", "paths", "file_paths", "files", "notebook_path", "absolute_path", "dir_path",
		"directory", "dir", "target_file", "target_directory", "file", "filename", "source", "destination", "old_path", "new_path", "uri",
		"include",
	}
	patternKeys = []string{"pattern", "glob", "glob_pattern", "query", "include"}
)

// workOf reads the input of a tool. A tool that isn't known is none of ours, unless it
// is one of a server beside the host (mcp__NAME__TOOL) that names files as the others do.
func workOf(tool string, input map[string]json.RawMessage) (work, error) {
	name := strings.ToLower(tool)
	kind := tools[name]
	if server, rest, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__"); kind == "" && (strings.HasPrefix(name, "mcp__") || strings.HasPrefix(name, "mcp_")) {
		if !ok {
			rest = server
		}
		if kind = tools[rest]; kind == "" || kind == "shell" {
			kind = "foreign"
		}
	}
	var w work
	switch kind {
	case "shell":
		line, err := lineOf(input)
		if err != nil {
			return w, err
		}
		w.line, w.cwd = line, text(input, cwdKeys...)
	case "read", "write", "both", "list":
		w.tree = kind == "list"
		access := []string{kind}
		switch kind {
		case "both":
			access = []string{"write"}
			if text(input, "command") == "view" {
				access = []string{"read"}
			}
		case "list":
			access = []string{"read"}
		}
		names, err := namesOf(input, pathKeys)
		if err != nil {
			return w, err
		}
		if len(names) == 0 && kind != "list" && len(input) > 0 {
			return w, errors.New("the tool " + tool + " names no file")
		}
		if kind == "list" && name != "grep" && name != "rg" && !strings.Contains(name, "search") {
			// The folder that an absolute pattern begins in; a relative one stays below.
			for _, k := range patternKeys {
				if dir := folderOf(text(input, k)); dir != "" {
					names = append(names, dir)
				}
			}
		}
		for _, n := range names {
			for _, a := range access {
				w.files = append(w.files, file{a, n})
			}
		}
	case "patch":
		return patchOf(input)
	case "foreign":
		names, err := namesOf(input, pathKeys)
		if err != nil {
			return w, nil // a URL, a number: its own
		}
		access := "read"
		for _, v := range []string{"write", "edit", "create", "move", "delete", "remove", "rename", "copy", "append", "save"} {
			if strings.Contains(name, v) {
				access = "write"
			}
		}
		for _, n := range names {
			if filepath.IsAbs(n) || strings.HasPrefix(n, "~/") || strings.Contains(n, "..") {
				w.files = append(w.files, file{access, n})
			}
		}
	}
	return w, nil
}

// lineOf reads the line for a shell: a string, or the words of a shell -c.
func lineOf(input map[string]json.RawMessage) (string, error) {
	for _, k := range lineKeys {
		raw, ok := input[k]
		if !ok {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) == nil {
			if s == "" {
				return "", errors.New("the line is empty")
			}
			return s, nil
		}
		var argv []string
		if json.Unmarshal(raw, &argv) == nil && len(argv) > 0 {
			if n := len(argv); n == 3 && strings.HasSuffix(argv[0], "sh") && strings.HasPrefix(argv[1], "-") && strings.HasSuffix(argv[1], "c") {
				return argv[2], nil
			}
			for i, a := range argv {
				argv[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
			}
			return strings.Join(argv, " "), nil
		}
		return "", errors.New("the line is neither a text nor a list of words")
	}
	return "", errors.New("there is no line")
}

// namesOf are the files that a tool's input names.
func namesOf(input map[string]json.RawMessage, keys []string) (names []string, err error) {
	add := func(s string) {
		if rest, ok := strings.CutPrefix(s, "file://"); ok {
			s = rest
		} else if strings.Contains(s, "://") {
			return
		}
		s = strings.TrimPrefix(s, "@") // as a person points a model at a file
		if s != "" {
			names = append(names, s)
		}
	}
	for _, k := range keys {
		raw, ok := input[k]
		if !ok || string(raw) == "null" {
			continue
		}
		var s string
		var list []string
		var objects []map[string]json.RawMessage
		switch {
		case json.Unmarshal(raw, &s) == nil:
			add(s)
		case json.Unmarshal(raw, &list) == nil:
			for _, s := range list {
				add(s)
			}
		case json.Unmarshal(raw, &objects) == nil:
			for _, o := range objects {
				add(text(o, "path", "file_path", "filePath"))
			}
		case k == "include":
		default:
			return nil, errors.New(k + " is neither a name nor a list of names")
		}
	}
	return names, nil
}

// folderOf is the folder that an absolute pattern begins in, "" for a relative one
// that stays below.
func folderOf(pattern string) string {
	if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "~/") && !strings.HasPrefix(pattern, "../") && !strings.Contains(pattern, "/../") {
		return ""
	}
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		pattern = pattern[:i]
		pattern = pattern[:strings.LastIndexByte(pattern, '/')+1]
	}
	return pattern
}

// patchOf reads the files of a patch: of the form that Codex's models write
// ("*** Update File: NAME"), or a unified diff.
func patchOf(input map[string]json.RawMessage) (work, error) {
	var w work
	body := text(input, "patch", "input", "patchText", "command", "diff")
	if body == "" {
		var argv []string
		if json.Unmarshal(input["command"], &argv) == nil && len(argv) > 0 {
			body = argv[len(argv)-1]
		}
	}
	if body == "" {
		return w, errors.New("there is no patch")
	}
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n")
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/", "+++ ", "--- "} {
			name, ok := strings.CutPrefix(line, head)
			if !ok {
				continue
			}
			name, _, _ = strings.Cut(name, "\t")
			if name = strings.TrimSpace(name); name != "" && name != "/dev/null" {
				w.files = append(w.files, file{"write", name})
			}
			break
		}
	}
	if len(w.files) == 0 {
		return w, errors.New("the patch names no file")
	}
	return w, nil
}

// real is the physical name of a directory, or the name as it is.
func real(dir string) string {
	if p, err := filepath.EvalSymlinks(dir); err == nil {
		return p
	}
	return filepath.Clean(dir)
}

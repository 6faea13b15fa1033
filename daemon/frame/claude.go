package frame

import (
	"path/filepath"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Claude Code runs SHELL -c with a text of its own, seen in process lists of versions
// from 1.0 to 2.1 (bash and zsh, Linux and macOS):
//
//	source SNAPSHOT [2>/dev/null || true]
//	&& turn extended globs off, if the shell has them on
//	&& { take away an alias and a function it uses itself; } >/dev/null 2>&1 || true
//	&& eval 'LINE' < /dev/null && pwd -P >| /tmp/claude-HEX-cwd
//
// The snapshot is what the host wrote of the user's shell when it started. Early
// versions wrote \< /dev/null: eval then gets the redirection as words. Variables
// that plug-ins export stand on lines of their own behind the first source.
var claude = &host{
	plausible: func(line string) bool {
		return strings.HasPrefix(line, "source ") && strings.Contains(line, "shell-snapshots/") && strings.HasSuffix(line, "-cwd")
	},
	match: matchClaude,
}

var (
	claudeSource  = []shape{shaped("source @snapshot 2>/dev/null || true"), shaped("source @snapshot")}
	claudeOptions = []shape{
		shaped("&& shopt -u extglob 2>/dev/null || true"),
		shaped("&& setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true"),
		shaped("&& setopt NO_EXTENDED_GLOB 2>/dev/null || true"),
		shaped("&& { shopt -u extglob || setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL; } >/dev/null 2>&1 || true"),
		shaped("&& { shopt -u extglob || setopt NO_EXTENDED_GLOB; } >/dev/null 2>&1 || true"),
		shaped("&& { shopt -u extglob || setopt NO_EXTENDED_GLOB; } 2>/dev/null || true"),
	}
	claudeNames = shaped(`&& { \builtin unalias -- @alias; \builtin unset -f -- @function; } >/dev/null 2>&1 || true`)
	claudeEval  = []shape{shaped("&& eval @line < /dev/null"), shaped(`&& eval @line \< /dev/null`), shaped("&& eval @line")}
	claudePwd   = shaped("&& pwd -P >| @cwd")

	claudeSnapshot = regexp.MustCompile(`^snapshot-(bash|zsh|sh)-[0-9]{10,16}-[0-9a-z]{1,16}\.sh$`)
	claudeCwd      = regexp.MustCompile(`^claude-[0-9a-f]{1,16}-cwd$`)
	claudeName     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
)

func matchClaude(line string, at Place) (string, map[string]string, bool) {
	f := parse(line)
	if f == nil || len(f.Stmts) == 0 || len(f.Last) > 0 {
		return "", nil, false
	}
	found := words{}
	list := steps(f.Stmts[0])
	list, ok := take(list, found, claudeSource...)
	if !ok || !below(found["snapshot"], filepath.Join(at.Home, ".claude/shell-snapshots"), claudeSnapshot) {
		return "", nil, false
	}
	list, vars, ok := claudeExports(list, f.Stmts[1:])
	if !ok {
		return "", nil, false
	}
	list, _ = take(list, found, claudeOptions...)
	if list, ok = take(list, found, claudeNames); ok {
		// Taken away alike; the name is one that can't be a builtin the line needs.
		alias, ok := constant(found["alias"])
		function, ok2 := constant(found["function"])
		if !ok || !ok2 || alias != function || !claudeName.MatchString(alias) {
			return "", nil, false
		}
	}
	if list, ok = take(list, found, claudeEval...); !ok {
		return "", nil, false
	}
	if list, ok = take(list, found, claudePwd); !ok || len(list) > 0 || !at.tmp(found["cwd"], claudeCwd) {
		return "", nil, false
	}
	inner, ok := quoted(found["line"])
	for name := range vars {
		// What the line says of a variable is judged with its value; a name in the
		// text of another program isn't followed there.
		ok = ok && settable(name)
	}
	return inner, vars, ok
}

// claudeExports takes the export commands off that may stand between the snapshot
// and the rest: in the list itself, or on lines that follow, of which the last goes
// on with the list behind a lone colon.
func claudeExports(list []step, more []*syntax.Stmt) (rest []step, vars map[string]string, ok bool) {
	vars = map[string]string{}
	for len(list) > 0 && list[0].op == "&&" && exports(list[0].stmt, vars) {
		list = list[1:]
	}
	for i, s := range more {
		if len(list) > 0 {
			return nil, nil, false
		}
		if i < len(more)-1 {
			if !exports(s, vars) {
				return nil, nil, false
			}
			continue
		}
		list = steps(s)
		if !colon(list[0].stmt) && !exports(list[0].stmt, vars) {
			return nil, nil, false
		}
		list = list[1:]
	}
	if len(list) > 0 && list[0].op == "&&" && colon(list[0].stmt) {
		list = list[1:]
	}
	return list, vars, true
}

// exports reads export NAME=TEXT into vars; anything else is no such command.
func exports(s *syntax.Stmt, vars map[string]string) bool {
	d, ok := s.Cmd.(*syntax.DeclClause)
	if !ok || !plain(s) || d.Variant == nil || d.Variant.Value != "export" || len(d.Args) == 0 {
		return false
	}
	for _, a := range d.Args {
		if a.Naked || a.Append || a.Name == nil || a.Index != nil || a.Array != nil {
			return false
		}
		value := ""
		if a.Value != nil {
			var ok bool
			if value, ok = constant(a.Value); !ok {
				return false
			}
		}
		vars[a.Name.Value] = value
	}
	return true
}

// colon is the command that does nothing.
func colon(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && plain(s) && len(c.Assigns) == 0 && len(c.Args) == 1 && c.Args[0].Lit() == ":"
}

// settable tells whether a plug-in may set a variable without changing what the
// words after it mean, or what runs for them, beyond what its value tells.
func settable(name string) bool {
	switch name {
	case "HOME", "PWD", "OLDPWD", "CDPATH", "IFS", "PATH", "ENV", "ZDOTDIR", "SHELLOPTS", "BASHOPTS", "SHELL",
		"GLOBIGNORE", "POSIXLY_CORRECT", "TMPDIR", "EXECIGNORE", "FPATH", "MODULE_PATH", "NULLCMD", "READNULLCMD",
		"PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "HISTFILE", "TMOUT":
		return false
	}
	for _, head := range []string{"BASH_", "LD_", "DYLD_", "XDG_", "EXTDIR_", "GIT_"} {
		if strings.HasPrefix(name, head) {
			return false
		}
	}
	return true
}

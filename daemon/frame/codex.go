package frame

import (
	"path/filepath"
	"regexp"
	"strings"
)

// Codex runs SHELL -lc LINE as it is. Where it keeps a snapshot of the user's shell
// it runs SHELL -c with
//
//	if . 'SNAPSHOT' >/dev/null 2>&1; then :; fi
//
//	exec 'SHELL' -c 'LINE'
//
// instead (codex-rs of 2026).
var codex = &host{
	plausible: func(line string) bool {
		return strings.HasPrefix(line, "if . ") && strings.Contains(line, "shell_snapshots/")
	},
	match: func(line string, at Place) (string, map[string]string, bool) {
		f := parse(line)
		if f == nil || len(f.Stmts) != 2 || len(f.Last) > 0 {
			return "", nil, false
		}
		found := words{}
		for i, s := range []shape{codexSource, codexExec} {
			if rest, ok := take([]step{{"", f.Stmts[i]}}, found, s); !ok || len(rest) > 0 {
				return "", nil, false
			}
		}
		shell, ok := constant(found["shell"])
		if !ok || !codexShell.MatchString(shell) || !below(found["snapshot"], filepath.Join(at.Home, ".codex/shell_snapshots"), codexSnapshot) {
			return "", nil, false
		}
		inner, ok := quoted(found["line"])
		return inner, nil, ok
	},
}

var (
	codexSource   = shaped("if . @snapshot >/dev/null 2>&1; then :; fi")
	codexExec     = shaped("exec @shell -c @line")
	codexSnapshot = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}(\.[0-9]{1,20})?\.sh$`)
	codexShell    = regexp.MustCompile(`^(/usr(/local)?|/opt/homebrew)?/bin/(ba|z)?sh$`)
)

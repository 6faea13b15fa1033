package frame

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Gemini CLI runs bash -c with a block of the agent's words as they are, behind it
// what tells it of processes left running (versions of 2025 and 2026; the shopt since
// late 2025):
//
//	shopt -u promptvars nullglob extglob nocaseglob dotglob; { LINE; }; __code=$?; pgrep -g 0 >/tmp/shell_pgrep_HEX.tmp 2>&1; exit $__code;
//
// Newer ones do so only for what runs in the background, and else hand over LINE alone.
var gemini = &host{
	plausible: func(line string) bool {
		return strings.Contains(line, "pgrep -g 0 >") && (strings.HasPrefix(line, "{ ") || strings.HasPrefix(line, "shopt -u "))
	},
	match: func(line string, at Place) (string, map[string]string, bool) {
		f := parse(line)
		if f == nil || len(f.Last) > 0 {
			return "", nil, false
		}
		stmts, found := f.Stmts, words{}
		if len(stmts) == 5 {
			if _, ok := take([]step{{"", stmts[0]}}, found, geminiOptions); !ok {
				return "", nil, false
			}
			stmts = stmts[1:]
		}
		if len(stmts) != 4 {
			return "", nil, false
		}
		for i, s := range geminiEnd {
			if _, ok := take([]step{{"", stmts[i+1]}}, found, s); !ok {
				return "", nil, false
			}
		}
		block, ok := stmts[0].Cmd.(*syntax.Block)
		if !ok || !plain(stmts[0]) || !at.tmp(found["pids"], geminiPids) {
			return "", nil, false
		}
		// The words stand in the block as they are, so that where it ends is where the
		// parser, and the shell, find its end. A here-document would reach beyond.
		inner := line[block.Lbrace.Offset()+1 : block.Rbrace.Offset()]
		if heredoc(block) {
			return "", nil, false
		}
		inner = strings.TrimSpace(inner)
		inner = strings.TrimSpace(strings.TrimSuffix(inner, ";"))
		return inner, nil, inner != ""
	},
}

var (
	geminiOptions = shaped("shopt -u promptvars nullglob extglob nocaseglob dotglob")
	geminiEnd     = []shape{shaped("__code=$?"), shaped("pgrep -g 0 >@pids 2>&1"), shaped("exit $__code")}
	geminiPids    = regexp.MustCompile(`^shell_pgrep_[0-9a-f]{6,32}\.tmp$`)
)

// heredoc tells whether a here-document begins in the block and its text stands behind.
func heredoc(block *syntax.Block) (beyond bool) {
	syntax.Walk(block, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) {
			beyond = beyond || r.Hdoc == nil || r.Hdoc.End().Offset() > block.Rbrace.Offset()
		}
		return !beyond
	})
	return beyond
}

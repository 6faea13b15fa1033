package analyze

import (
	"path"
	"strings"

	"extdir/daemon/access"
)

// gitLists are git commands that print names below the folder they run in.
var gitLists = words(`ls-files diff status grep ls-tree diff-tree diff-index diff-files`)

// gitPrints is what git prints.
func (x *run) gitPrints(g *ground, args []access.Word, unknown, component access.Word) access.Word {
	dir := g.st.cwd
	for len(args) > 0 {
		lit, _ := args[0].Lit()
		if lit == "-C" && len(args) > 1 {
			dir = absolute(dir, args[1])
			args = args[2:]
			continue
		}
		if lit == "-c" && len(args) > 1 {
			args = args[2:]
			continue
		}
		if strings.HasPrefix(lit, "-") {
			args = args[1:]
			continue
		}
		break
	}
	if len(args) == 0 {
		return unknown
	}
	sub, _ := args[0].Lit()
	_, opts := operands(args[1:])
	switch sub {
	case "rev-parse":
		switch {
		case has(opts, 0, "--show-toplevel"):
			return x.topLevel(g.st, dir, unknown)
		case has(opts, 0, "--show-prefix"), has(opts, 0, "--show-cdup"), has(opts, 0, "--git-dir"), has(opts, 0, "--absolute-git-dir"), has(opts, 0, "--git-common-dir"), has(opts, 0, "--git-path"):
			return unknown
		}
		return component
	case "branch", "symbolic-ref", "describe", "merge-base", "rev-list", "log", "show", "config", "tag", "hash-object", "write-tree", "stash":
		if sub == "log" || sub == "show" || sub == "config" || sub == "stash" {
			for _, o := range opts {
				if o == "--name-only" {
					return access.Unknowable(access.Inside, g.start, g.end)
				}
				if sub == "log" && (strings.HasPrefix(o, "--format=%h") || strings.HasPrefix(o, "--format=%H") || strings.HasPrefix(o, "--pretty=%h")) {
					return component
				}
			}
			return unknown
		}
		return component
	}
	if gitLists[sub] {
		names := sub == "ls-files" || has(opts, 0, "--name-only") || has(opts, 'l', "--files-with-matches") && sub == "grep"
		if names && !*g.ext && !x.outsideCwd(g.st) {
			return access.Unknowable(access.Inside, g.start, g.end)
		}
	}
	return unknown
}

// topLevel is git rev-parse --show-toplevel: the nearest folder with .git.
func (x *run) topLevel(st *state, dir, unknown access.Word) access.Word {
	lit, ok := dir.Lit()
	if !ok {
		return unknown
	}
	real, err := x.real(st, lit)
	if err != nil {
		return unknown
	}
	for d := real; ; d = path.Dir(d) {
		if _, err := x.disk.Lstat(path.Join(d, ".git")); err == nil {
			return access.Text(d + "\n")
		}
		if d == "/" {
			break
		}
	}
	return unknown
}

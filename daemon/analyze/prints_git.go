package analyze

import (
	"path"
	"strings"

	"extdir/daemon/access"
)

// hashFormat are formats that print hashes and dates alone.
var hashFormat = words(`--format=%h --format=%H --pretty=%h --pretty=%H --pretty=format:%h --pretty=format:%H
	--format=%ct --format=%cs --format=%at`)

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
		if lit == "-P" || lit == "--no-pager" || lit == "--no-optional-locks" {
			args = args[1:]
			continue
		}
		if strings.HasPrefix(lit, "-") {
			return unknown // --git-dir, --work-tree: another repository
		}
		break
	}
	if len(args) == 0 {
		return unknown
	}
	sub, _ := args[0].Lit()
	_, opts := operands(args[1:])
	for name := range words("GIT_DIR GIT_WORK_TREE") {
		if _, set := g.st.vars[name]; set {
			return unknown
		}
	}
	for _, o := range opts {
		if strings.HasPrefix(o, "--format") && !hashFormat[o] || strings.HasPrefix(o, "--pretty") && !hashFormat[o] {
			return unknown
		}
	}
	switch sub {
	case "rev-parse":
		switch {
		case has(opts, 0, "--show-toplevel"):
			return x.topLevel(g.st, dir, unknown)
		case has(opts, 0, "--show-prefix"), has(opts, 0, "--show-cdup"), has(opts, 0, "--git-dir"), has(opts, 0, "--absolute-git-dir"), has(opts, 0, "--git-common-dir"), has(opts, 0, "--git-path"):
			return unknown
		}
		if pathLike(args[1:]) {
			return unknown
		}
		return component
	case "branch", "symbolic-ref", "describe", "merge-base", "rev-list", "log", "show", "config", "tag", "hash-object", "write-tree", "stash":
		if sub == "log" || sub == "show" || sub == "config" || sub == "stash" {
			for _, o := range opts {
				if o == "--name-only" {
					return access.Unknowable(access.Inside, g.start, g.end)
				}
				if hashFormat[o] {
					return component
				}
			}
			return unknown
		}
		if pathLike(args[1:]) {
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

package analyze

import (
	"path"
	"slices"
	"sort"
	"strings"

	"extdir/daemon/access"
)

// gitChanges are commands of git that change files of the working tree. What git
// doesn't follow they leave alone or refuse to touch: a file that wasn't there
// before the line is new to git.
var gitChanges = words(`checkout switch restore reset stash merge pull rebase cherry-pick revert bisect read-tree checkout-index`)

// patched makes unknown what patch and git may change. A patch that the line wrote
// says which files it changes.
func (x *run) patched(g *ground, name string) {
	args, sub := g.argv[1:], name
	if name == "git" {
		if args = gitCommand(args); len(args) == 0 {
			return
		}
		sub = litOf(args[0])
		args = args[1:]
		x.gitHooks(g, sub)
	}
	all := false
	switch files, opts := operands(args); {
	case sub == "apply" || sub == "am" || sub == "patch":
		all = len(g.doing().wrote) == 0
	case gitChanges[sub]:
		all = has(opts, 'f', "--force") || has(opts, 0, "--hard")
		for _, w := range files {
			if real, ok := x.written(g.st, w); ok {
				x.forget(g, real, "git")
			}
		}
	default:
		return
	}
	for real, f := range g.st.files {
		if !f.written() || x.outside(real) {
			continue
		}
		if _, err := x.disk.Lstat(real); all || gitChanges[sub] && err == nil {
			x.forget(g, real, name)
		}
	}
}

// downloaded notes the files that wget and curl -O name after a URL.
func (x *run) downloaded(g *ground, name string) {
	files, opts := operands(g.argv[1:])
	named := has(opts, 'O', "--output-document")
	for _, o := range opts {
		named = named || strings.HasPrefix(o, "--output-document=")
	}
	if name == "curl" {
		named = !has(opts, 'O', "--remote-name") && !has(opts, 0, "--remote-name-all")
	}
	if named {
		return
	}
	for _, w := range files {
		if lit, ok := w.Lit(); ok && strings.Contains(lit, "://") {
			lit, _, _ = strings.Cut(lit, "?")
			if real, err := x.realOf(g.st, access.Text(path.Base(lit))); err == nil {
				x.output(g, real, name)
			}
		}
	}
}

// gitCommand are the words from git's subcommand on.
func gitCommand(args []access.Word) []access.Word {
	for len(args) > 0 {
		lit := litOf(args[0])
		switch {
		case lit == "-C" || lit == "-c" || lit == "--git-dir" || lit == "--work-tree" || lit == "--namespace":
			args = args[min(2, len(args)):]
		case strings.HasPrefix(lit, "-"):
			args = args[1:]
		default:
			return args
		}
	}
	return nil
}

// gitHooks are the hooks that commands of git run (githooks(5)).
var gitHooks = map[string][]string{
	"commit":      {"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change"},
	"merge":       {"pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge"},
	"pull":        {"pre-merge-commit", "commit-msg", "post-merge", "pre-rebase", "post-rewrite", "post-checkout"},
	"rebase":      {"pre-rebase", "post-rewrite", "post-checkout", "pre-commit", "commit-msg"},
	"cherry-pick": {"prepare-commit-msg", "commit-msg", "post-commit"},
	"revert":      {"prepare-commit-msg", "commit-msg", "post-commit"},
	"am":          {"applypatch-msg", "pre-applypatch", "post-applypatch"},
	"push":        {"pre-push", "reference-transaction"},
	"checkout":    {"post-checkout", "post-index-change"},
	"switch":      {"post-checkout", "post-index-change"},
	"worktree":    {"post-checkout"},
	"fetch":       {"reference-transaction"},
	"gc":          {"pre-auto-gc"},
}

// gitHooks runs the hooks that the line wrote.
func (x *run) gitHooks(g *ground, sub string) {
	var found []string
	for real, f := range g.st.files {
		if dir, name := path.Split(real); f.written() && slices.Contains(gitHooks[sub], name) && (strings.HasSuffix(dir, "/hooks/") || strings.HasSuffix(dir, "/.husky/") || strings.HasSuffix(dir, "/.githooks/")) {
			found = append(found, real)
		}
	}
	sort.Strings(found)
	for _, real := range found {
		hook := access.Text(real)
		hook.Start, hook.End = g.start, g.end
		g.Run([]access.Word{hook})
	}
}

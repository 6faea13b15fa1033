package approval

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/policy"
	"extdir/daemon/session"
)

// Offers are the answers that a waiting terminal may give besides no: what acts
// on the guard itself is for once alone.
func Offers(d policy.Decision, l access.Line) []Scope {
	for _, f := range asked(d) {
		if guards(f, l) {
			return []Scope{Once}
		}
	}
	return []Scope{Once, InSession}
}

// guards: a finding about the guard itself.
func guards(f policy.Finding, l access.Line) bool {
	return f.Gate == "built-in" || f.Access >= 0 && f.Access < len(l.Accesses) && l.Accesses[f.Access].Kind == access.Self
}

// offer makes the grant for an answer. It never covers more than was shown:
//
//   - once is the same bytes in the same directory, and the paths shown;
//   - a line with an access that isn't known, or that was asked about for its
//     command, can be granted as this exact line and no wider; so can one that
//     works on all of "/" or of a home directory;
//   - what acts on the guard itself is never stored, so it is for once;
//   - else: each path that was asked about, with its kinds, and with all below
//     it if the line works on it as a directory.
func offer(a Ask, ans Answer) (Grant, error) {
	g := Grant{
		Session: a.Session.Key, Anchor: a.Session.Anchor, Line: a.Line, Cwd: a.Cwd, Scope: ans.Scope,
	}
	if g.Scope == "" {
		g.Scope = InSession
	}
	if g.Scope == Until && ans.For <= 0 {
		return Grant{}, errors.New("say for how long, as in --for 8h")
	}
	digest := LineDigest(a.Line, a.Cwd)
	findings := asked(a.Decision)
	exact := ""
	for _, f := range findings {
		switch {
		case guards(f, a.Found):
			g.Scope = Once
			exact = "it acts on the guard"
		case f.Access < 0 || f.Access >= len(a.Found.Accesses):
			exact = "it was asked about as a command"
		default:
			x := a.Found.Accesses[f.Access]
			switch {
			case x.Certainty != access.Certain || x.Path == "":
				exact = "a path in it can't be determined"
			case x.Dir && tooWide(x.Path, a.Session.Home):
				exact = "it works on all of " + Escape(x.Path)
			}
		}
	}
	if len(findings) == 0 {
		exact = "nothing in it was asked about by name"
	}
	if exact != "" {
		if ans.Tree || ans.Repo || ans.Kinds != 0 {
			return Grant{}, fmt.Errorf("this line can only be approved as it stands, since %s; leave out --tree, --repo and --kinds", exact)
		}
		g.Exact = &digest
		return g, nil
	}
	if g.Scope == Once {
		g.Exact = &digest
	}
	at := map[PathGrant]int{}
	for _, f := range findings {
		x := a.Found.Accesses[f.Access]
		kinds := access.Kinds(x.Kind)
		if ans.Kinds != 0 {
			kinds &= ans.Kinds
		}
		if kinds == 0 {
			continue
		}
		p, err := width(x, ans, a.Session.Home)
		if err != nil {
			return Grant{}, err
		}
		if i, ok := at[p]; ok {
			g.Paths[i].Kinds |= kinds
			continue
		}
		at[p] = len(g.Paths)
		p.Kinds = kinds
		g.Paths = append(g.Paths, p)
	}
	if len(g.Paths) == 0 {
		return Grant{}, fmt.Errorf("no path of this line is accessed as %s only", ans.Kinds)
	}
	return g, nil
}

// width is what an access is granted as, without kinds.
func width(x access.Access, ans Answer, home string) (PathGrant, error) {
	p := PathGrant{Path: x.Path, Tree: x.Dir, Glob: x.Glob}
	switch {
	case ans.Repo:
		dir := x.Path
		if !x.Dir || x.Glob {
			dir = path.Dir(fixed(x.Path))
		}
		repo := session.Repository(dir, home)
		if repo == "" {
			return PathGrant{}, fmt.Errorf("there is no repository around %s", Escape(x.Path))
		}
		p = PathGrant{Path: repo, Tree: true}
	case ans.Tree:
		if x.Glob {
			return PathGrant{}, fmt.Errorf("%s is a pattern and has no tree", Escape(x.Path))
		}
		p.Tree = true
	}
	if p.Tree && tooWide(p.Path, home) {
		return PathGrant{}, fmt.Errorf("all of %s is too much for one approval; write a rule if you mean it", Escape(p.Path))
	}
	return p, nil
}

// fixed is the part of a pattern before its first active character, up to a slash.
func fixed(pattern string) string {
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		return pattern[:strings.LastIndexByte(pattern[:i], '/')+1] + "x"
	}
	return pattern
}

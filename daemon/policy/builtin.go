package policy

import (
	"path/filepath"
	"strings"

	"extdir/daemon/access"
)

// The built-in gate keeps the guard from being turned against itself. No rule and
// no grant loosens it, but for an approval of the very line where the contract
// lets a person answer once (SelfAsk).

// projectFiles belong to extdir, or to the hooks of an agent's host, in any directory:
// a project's own rules, and the settings that say what a host runs before a tool. A
// tree is not taken to hold one, as most don't.
var projectFiles = []string{
	".extdir.json",
	".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json", ".codex/config.toml",
	".gemini/settings.json", ".cursor/hooks.json", ".clinerules/hooks/PreToolUse", ".opencode/plugins", ".opencode/plugin",
	".pi/extensions", ".github/hooks",
}

func ownNames(env Env) []string {
	var own []string
	for _, f := range env.Own {
		f = "/" + strings.Join(split(f), "/")
		own = append(own, f)
		if env.Resolve != nil {
			if r := env.Resolve(f); r != "" && r != f && r[0] == '/' {
				own = append(own, r)
			}
		}
	}
	return own
}

func (j *judge) builtin(i int, a *access.Access) {
	f := Finding{Gate: "built-in", Access: i, Command: -1}
	if a.Kind == access.Self || a.Self != access.SelfNone {
		switch {
		case a.Self == access.SelfAsk:
			f.Action = Ask
			j.add(f, j.exact)
			return
		case j.agent: // SelfDeny, and a level that is not known
			f.Action = Deny
		default:
			f.Action = Ask
		}
		j.add(f, "")
		return
	}
	if a.Kind == access.Read || a.Kind == access.Execute {
		return
	}
	for _, name := range []string{a.Path, a.Typed} {
		if own, ok := projectFile(a, name); ok {
			f.Name = own
			if f.Action = Ask; j.agent {
				f.Action = Deny
			}
			j.add(f, "")
			return
		}
	}
	for _, own := range j.p.own {
		f.Name = own
		switch {
		case touches(a, a.Path, own) == whole || touches(a, a.Typed, own) == whole:
			f.Action = Ask
			if j.agent {
				f.Action = Deny
			}
			j.add(f, "")
			return
		case touches(a, a.Path, own) == above || touches(a, a.Typed, own) == above:
			// The directory an own file lies in: renaming it takes the file
			// along, making it (mkdir -p) does not. A person can tell.
			f.Action = Ask
			j.add(f, j.exact)
			return
		}
	}
}

// projectFile tells whether a name is that of such a file, or of one in such a folder.
func projectFile(a *access.Access, name string) (own string, ok bool) {
	for _, p := range projectFiles {
		dir, base := filepath.Split(p)
		at, last := filepath.Split(name)
		if last != "" && strings.HasSuffix(at, "/"+dir) && same(a, last, base) {
			return at + base, true
		}
		if i := strings.Index(name, "/"+p+"/"); i >= 0 {
			return name[:i+1+len(p)], true
		}
	}
	return "", false
}

type touch uint8

const (
	apart touch = iota
	above       // a directory the own file lies in, itself
	whole       // the own file, or a tree that holds it
)

func touches(a *access.Access, name, own string) touch {
	if name == "" {
		return apart
	}
	wide := a.Dir
	if a.Certainty == access.Unknown {
		// Which name below the directory it is nobody knows.
		name = strings.TrimSuffix(name, "/*")
		if name == "" || name != own && below(own, name) {
			return above
		}
		wide = true
	}
	if matches, _, ok := a.Pattern.Below(name); ok && a.Glob {
		worst := apart
		for _, m := range matches {
			worst = max(worst, reaches(a, m, own, wide))
		}
		return worst
	}
	return reaches(a, name, own, wide)
}

// reaches is touches for one name or plain pattern.
func reaches(a *access.Access, name, own string, wide bool) touch {
	mine := split(own)
	for k, c := range split(name) {
		if k >= len(mine) {
			return whole // below an own directory
		}
		if c == "**" && a.Glob {
			return whole
		}
		if !same(a, c, mine[k]) {
			return apart
		}
	}
	if wide || len(split(name)) >= len(mine) {
		return whole
	}
	return above
}

func same(a *access.Access, c, name string) bool {
	if !a.Glob {
		return c == name
	}
	atoms, err := parseComponent(c)
	return err != "" || expands(atoms, name)
}

package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"extdir/daemon/access"
)

// universe is every path of up to three components over a few names; it stands
// for the file system that a wide access may meet.
var universe = func() (all []string) {
	level := []string{""}
	for range 3 {
		var next []string
		for _, dir := range level {
			for _, n := range []string{"a", "b", "ab", ".x", "c.k"} {
				next = append(next, dir+"/"+n)
			}
		}
		all = append(all, next...)
		level = next
	}
	return all
}()

func genRules(rt *rapid.T, pieces []string, bare bool) []Entry {
	piece := rapid.SampledFrom(pieces)
	action := rapid.SampledFrom([]Action{NoOpinion, Allow, Allow, Ask, Deny})
	surface := rapid.SampledFrom([]string{"path", "external_directory"})
	seen := map[string]bool{}
	out := []Entry{{Surface: "external_directory", Pattern: "*", Read: Allow, Write: Allow}}
	for range rapid.IntRange(0, 6).Draw(rt, "rules") {
		pat := "/" + strings.Join(rapid.SliceOfN(piece, 1, 3).Draw(rt, "pattern"), "/")
		if bare && rapid.Bool().Draw(rt, "bare") {
			pat = strings.TrimPrefix(pat, "/")
			if strings.Contains(pat, "/") {
				pat = "**/" + pat
			}
		}
		e := Entry{Surface: surface.Draw(rt, "surface"), Pattern: pat, Read: action.Draw(rt, "read"), Write: action.Draw(rt, "write")}
		if !seen[e.Surface+pat] {
			seen[e.Surface+pat] = true
			out = append(out, e)
		}
	}
	return out
}

func decideOne(p *Policy, a access.Access) Verdict {
	return p.Decide(access.Line{Accesses: []access.Access{a}}, inWork).Verdict
}

// A glob is never judged looser than a path it may stand for.
func TestGlobIsAsStrictAsItsPaths(t *testing.T) {
	pieces := []string{"a", "b", "ab", ".x", "c.k", "a*", "*.k", "*", "[ab]", "**", "?"}
	globs := rapid.SampledFrom([]string{"a", "ab", "*", "a*", "?", "[!a]", "*.k", ".*", ".x", "*b"})
	rapid.Check(t, func(rt *rapid.T) {
		p, _ := Compile([]Layer{{Author: User, Rules: genRules(rt, pieces, true)}}, testEnv)
		comps := rapid.SliceOfN(globs, 1, 3).Draw(rt, "glob")
		a := access.Access{Path: "/" + strings.Join(comps, "/"), Kind: access.Write, External: true, Glob: true}
		got := decideOne(p, a)
		for _, path := range universe {
			names := split(path)
			if len(names) != len(comps) {
				continue
			}
			fits := true
			for i, n := range names {
				atoms, _ := parseComponent(comps[i])
				fits = fits && expands(atoms, n)
			}
			if !fits {
				continue
			}
			if one := decideOne(p, access.Access{Path: path, Kind: access.Write, External: true}); got == VerdictAllow && one != VerdictAllow {
				rt.Fatalf("%s is %s, but %s is %s", a.Path, got, path, one)
			}
		}
	})
}

// A tree, and an unknown name below a directory, is never allowed if a path below
// is not, as far as rules name places (see spread for those that hold anywhere).
func TestTreeIsAsStrictAsItsPaths(t *testing.T) {
	pieces := []string{"a", "b", "ab", ".x", "c.k", "a*", "*"}
	rapid.Check(t, func(rt *rapid.T) {
		env := testEnv
		env.Unknown = Allow
		p, _ := Compile([]Layer{{Author: User, Rules: genRules(rt, pieces, false)}}, env)
		dir := rapid.SampledFrom(append([]string{"/"}, universe...)).Draw(rt, "dir")
		tree := decideOne(p, access.Access{Path: dir, Kind: access.Read, External: true, Dir: true})
		unknown := decideOne(p, access.Access{Path: strings.TrimSuffix(dir, "/") + "/*", Kind: access.Read, External: true, Certainty: access.Unknown})
		for _, path := range universe {
			if !below(path, dir) {
				continue
			}
			one := decideOne(p, access.Access{Path: path, Kind: access.Read, External: true})
			if one != VerdictAllow && (tree == VerdictAllow || unknown == VerdictAllow) {
				rt.Fatalf("tree %s is %s, unknown below it %s, but %s is %s", dir, tree, unknown, path, one)
			}
		}
	})
}

// One more deny never loosens anything, whatever layer it stands in.
func TestDenyNeverLoosens(t *testing.T) {
	pieces := []string{"a", "b", "ab", ".x", "c.k", "a*", "*", "**"}
	author := rapid.SampledFrom([]Author{Managed, User, Project})
	rapid.Check(t, func(rt *rapid.T) {
		var layers []Layer
		for range rapid.IntRange(1, 4).Draw(rt, "layers") {
			layers = append(layers, Layer{Author: author.Draw(rt, "author"), Rules: genRules(rt, pieces, true)})
		}
		before, _ := Compile(layers, testEnv)
		i := rapid.IntRange(0, len(layers)-1).Draw(rt, "which")
		pat := rapid.SampledFrom([]string{"/a", "/a/*", "b", "*", "/", "/a/b", "**/ab/c.k"}).Draw(rt, "deny")
		l := layers[i]
		l.Rules = append(append([]Entry(nil), l.Rules...), Entry{Surface: "external_directory", Pattern: pat, Read: Deny, Write: Deny})
		layers[i] = l
		after, _ := Compile(layers, testEnv)
		for _, path := range universe {
			a := access.Access{Path: path, Kind: access.Write, External: true}
			if b, n := decideOne(before, a), decideOne(after, a); n < b {
				rt.Fatalf("%s: %s before the deny, %s after it", path, b, n)
			}
		}
	})
}

func TestSpreadIsBounded(t *testing.T) {
	var r []Entry
	for _, a := range []string{"a", "b", "c"} {
		r = append(r, Entry{Surface: "path", Pattern: "/**/" + a + "/**/" + a + "*/**/" + a + "/**/x" + a, Write: Deny})
	}
	p, _ := Compile([]Layer{{Author: User, Rules: r}}, testEnv)
	a := access.Access{Path: strings.Repeat("/*", 2000), Kind: access.Write, Glob: true}
	if got := decideOne(p, a); got == VerdictAllow {
		t.Errorf("what was not looked at to the end is %s", got)
	}
}

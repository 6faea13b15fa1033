package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Dead names the rules that can never take effect, since a later one of the same
// layer matches all they match. The classic is a "*" at the end of a surface.
func Dead(layers []Layer, env Env) []Problem {
	var out []Problem
	for _, l := range layers {
		for _, surface := range []string{"path", "external_directory", "bash"} {
			var rules []Entry
			for _, e := range l.Rules {
				if e.Surface == surface {
					rules = append(rules, e)
				}
			}
			out = append(out, dead(rules, &env)...)
		}
	}
	return out
}

func dead(rules []Entry, env *Env) []Problem {
	var t trie
	patterns := make([]*pattern, len(rules))
	var commands commandRules
	texts := make([][]atom, len(rules))
	for i, e := range rules {
		if e.Surface == "bash" {
			texts[i], _ = parseCommand(e.Pattern)
			commands.add(texts[i], int32(i), false)
			continue
		}
		p, err := parsePath(e.Pattern, env)
		if err != nil || p.absent != "" {
			continue
		}
		patterns[i] = &p
		t.add(p, int32(i), false)
	}
	var out []Problem
	for i, e := range rules {
		killer := -1
		see := func(r int32) {
			if int(r) > i && overrides(rules[r], e) {
				killer = max(killer, int(r))
			}
		}
		if e.Surface == "bash" {
			commands.matchAll(texts[i], see)
		} else if patterns[i] != nil {
			t.coverAll(*patterns[i], func(rs []int32) {
				for _, r := range rs {
					see(r)
				}
			})
		}
		if killer >= 0 {
			k := rules[killer]
			out = append(out, Problem{Origin: e.Origin, Warning: true, Message: fmt.Sprintf(
				"rule %q never takes effect: %q at %d:%d comes later and matches all of it; the last match wins, so move it below",
				e.Pattern, k.Pattern, k.Origin.Line, k.Origin.Col)})
		}
	}
	return out
}

// overrides: k says something of every kind that e speaks of.
func overrides(k, e Entry) bool {
	says := func(by, of Action) bool { return of == NoOpinion || by != NoOpinion }
	return says(k.Read, e.Read) && says(k.Write, e.Write) && says(k.Execute, e.Execute)
}

// coverAll visits the rules that match every path a pattern matches; some are
// missed where both patterns hold **.
func (t *trie) coverAll(p pattern, visit func([]int32)) {
	visit(t.all)
	if p.all {
		return
	}
	visit(t.root.rules)
	n := len(p.pieces)
	if i := slices.IndexFunc(p.pieces, func(c piece) bool { return c.deep }); i >= 0 {
		n = i
	}
	if n == 0 {
		return
	}
	active := []*node{&t.root}
	for _, c := range p.pieces[:n] {
		var next []*node
		for _, a := range active {
			if a.deep != nil && !slices.Contains(active, a.deep) {
				active = append(active, a.deep)
			}
		}
		for _, a := range active {
			if a.star {
				next = append(next, a)
			}
			if c.glob == nil {
				if to := a.lit[c.text]; to != nil {
					next = append(next, to)
				}
			}
			for _, e := range a.globs {
				if c.glob == nil && matchAtoms(e.glob, c.text) || c.glob != nil && (e.text == c.whole || e.text == "*") {
					next = append(next, e.to)
				}
			}
		}
		for _, a := range next {
			visit(a.rules)
		}
		active = next
	}
}

// matchAll visits the rules that match every text a pattern matches.
func (c *commandRules) matchAll(atoms []atom, visit func(int32)) {
	text := make([]rune, 0, len(atoms))
	for _, a := range atoms {
		switch a.kind {
		case atomAny:
			text = append(text, gap)
		case atomText:
			text = append(text, a.r)
		default:
			return // one unknown character is neither: nothing is claimed
		}
	}
	// "git *" matches the bare "git" too.
	bare := text
	if n := len(text); n > 2 && text[n-1] == gap && text[n-2] == ' ' {
		bare = text[:n-2]
	}
	try := func(r commandRule) bool {
		fits := func(t []rune) bool { return matchRunes(r.atoms, t) || r.bare != nil && matchRunes(r.bare, t) }
		return fits(text) && fits(bare)
	}
	first := text
	if i := slices.Index(text, ' '); i >= 0 {
		first = text[:i]
	}
	if !slices.Contains(first, gap) {
		var word strings.Builder
		for _, r := range first {
			writeRune(&word, r)
		}
		for _, r := range c.word[word.String()] {
			if try(r) {
				visit(r.rule)
			}
		}
	}
	for _, r := range c.other {
		if try(r) {
			visit(r.rule)
		}
	}
}

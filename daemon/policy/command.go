package policy

import (
	"fmt"
	"slices"
	"strings"

	"extdir/daemon/access"
)

// A command pattern matches the whole text of a command: * any text, ? one
// character, a last " *" also nothing at all, so that "git push *" matches the
// bare "git push". \ before *, ? and \ makes them plain.

// gap stands for an unknown part in the text of a command. No character matches
// it, only * does.
const gap rune = -1

func parseCommand(s string) ([]atom, error) {
	if strings.TrimSpace(s) == "" {
		return nil, fmt.Errorf(`pattern is empty: write "*" for every command`)
	}
	var atoms []atom
	for i := 0; i < len(s); {
		r, n := decode(s[i:])
		switch {
		case r == '*':
			if k := len(atoms); k == 0 || atoms[k-1].kind != atomAny {
				atoms = append(atoms, atom{kind: atomAny})
			}
		case r == '?':
			atoms = append(atoms, atom{kind: atomOne})
		case r == '\\' && i+1 < len(s) && strings.IndexByte(`*?\`, s[i+1]) >= 0:
			atoms = append(atoms, atom{kind: atomText, r: rune(s[i+1])})
			n = 2
		default:
			atoms = append(atoms, atom{kind: atomText, r: r})
		}
		i += n
	}
	return atoms, nil
}

// commandRules finds command rules by their first word.
type commandRules struct {
	word  map[string][]commandRule
	other []commandRule // the first word holds a pattern character
}

type commandRule struct {
	atoms []atom
	bare  []atom // without a last " *"; nil if there is none
	rule  int32
	deny  bool
}

func (c *commandRules) add(atoms []atom, rule int32, deny bool) {
	r := commandRule{atoms: atoms, rule: rule, deny: deny}
	if n := len(atoms); n > 2 && atoms[n-1].kind == atomAny && isText(atoms[n-2], ' ') {
		r.bare = atoms[:n-2]
	}
	first := atoms
	for i, a := range atoms {
		if isText(a, ' ') {
			first = atoms[:i]
			break
		}
	}
	word, ok := literal(first)
	if !ok {
		c.other = append(c.other, r)
		return
	}
	if c.word == nil {
		c.word = map[string][]commandRule{}
	}
	c.word[word] = append(c.word[word], r)
}

func isText(a atom, r rune) bool { return a.kind == atomText && a.r == r }

// match visits the rules that match the text; maybe, if not nil, gets the denies
// that could match a command word that isn't known.
func (c *commandRules) match(t access.CommandText, visit func(int32), maybe func(int32)) {
	text := runes(t)
	if len(text) == 0 {
		return
	}
	word, known := firstWord(t)
	try := func(rules []commandRule) {
		for _, r := range rules {
			switch {
			case matchRunes(r.atoms, text) || r.bare != nil && matchRunes(r.bare, text):
				visit(r.rule)
			case !known && r.deny && (meetRunes(r.atoms, text) || r.bare != nil && meetRunes(r.bare, text)):
				maybe(r.rule)
			}
		}
	}
	if known {
		try(c.word[word])
	} else {
		for _, rules := range c.word {
			try(rules)
		}
	}
	try(c.other)
}

// firstWord is the command word; known is false if part of it is not.
func firstWord(t access.CommandText) (word string, known bool) {
	if len(t.Parts) == 0 {
		return "", true
	}
	word, _, blank := strings.Cut(t.Parts[0], " ")
	return word, blank || len(t.Parts) == 1
}

func runes(t access.CommandText) []rune {
	var out []rune
	for i, p := range t.Parts {
		if i > 0 {
			out = append(out, gap)
		}
		for len(p) > 0 {
			r, n := decode(p)
			out = append(out, r)
			p = p[n:]
		}
	}
	return out
}

func matchRunes(atoms []atom, text []rune) bool {
	i, star, mark, j := 0, -1, 0, 0
	for j < len(text) {
		switch {
		case i < len(atoms) && atoms[i].kind == atomAny:
			star, mark = i, j
			i++
		case i < len(atoms) && text[j] != gap && atoms[i].matches(text[j]):
			i++
			j++
		case star >= 0:
			mark++
			j, i = mark, star+1
		default:
			return false
		}
	}
	for i < len(atoms) && atoms[i].kind == atomAny {
		i++
	}
	return i == len(atoms)
}

// maxMeet bounds the time: what follows in a longer text is taken as unknown too.
const maxMeet = 4096

// meetRunes tells whether the text could match, whatever its unknown parts are.
func meetRunes(atoms []atom, text []rune) bool {
	if len(text) > maxMeet {
		text = append(slices.Clone(text[:maxMeet]), gap)
	}
	as := make([]atom, len(text))
	for i, r := range text {
		if r == gap {
			as[i] = atom{kind: atomAny}
		} else {
			as[i] = atom{kind: atomText, r: r}
		}
	}
	return meet(atoms, as)
}

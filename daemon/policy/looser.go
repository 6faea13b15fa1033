package policy

import (
	"strings"

	"extdir/daemon/access"
)

// Literal makes a pattern of a path: its tree, with pattern characters escaped.
func Literal(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`*?[\`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// Looser returns an existing rule whose own pattern would be judged looser after
// the layers changed from before to after by adding the rule added: an allow for a
// tree must not silently take along what someone asked or denied below it. The
// rule at except, about which a person was asked, may become looser.
func Looser(before, after []Layer, env Env, added Entry, except Origin) (Entry, bool) {
	was, _ := Compile(before, env)
	is, _ := Compile(after, env)
	for _, l := range before {
		for _, e := range l.Rules {
			if e.Surface != added.Surface || e.Origin == except && e.Origin.File != "" || e.Pattern == "*" {
				continue
			}
			for i, says := range [...]Action{e.Read, e.Write, e.Execute} {
				if says < Ask {
					continue
				}
				line, found := example(e, added, access.Kind(1<<i), &env)
				if found == none {
					continue
				}
				if found == unclear || own(is, line, e.Surface) < own(was, line, e.Surface) {
					return e, true
				}
			}
		}
	}
	return Entry{}, false
}

// own is the action of one gate alone.
func own(p *Policy, line access.Line, gate string) Action {
	var a Action
	for _, f := range p.Decide(line, Context{Driver: "agent"}).Findings {
		if f.Gate == gate {
			a = max(a, f.Action)
		}
	}
	return a
}

// Overruled tells which rule decides in place of an added one about what that
// itself names: then it would change nothing. Nil: it decides as it says.
func Overruled(layers []Layer, env Env, added Entry) *Rule {
	p, _ := Compile(layers, env)
	for i, says := range [...]Action{added.Read, added.Write, added.Execute} {
		line, found := example(added, added, access.Kind(1<<i), &env)
		if says == NoOpinion || found != sound {
			continue
		}
		for _, f := range p.Decide(line, Context{Driver: "agent"}).Findings {
			if f.Gate == added.Surface && f.Action > says && f.Rule != nil {
				return f.Rule
			}
		}
	}
	return nil
}

type found uint8

const (
	none    found = iota // the rule matches nothing here
	unclear              // no name was found that it matches
	sound
)

// example is a line that a rule is about; of a rule that holds at any depth, one
// where the added rule holds too.
func example(e, added Entry, kind access.Kind, env *Env) (access.Line, found) {
	if e.Surface == "bash" {
		atoms, err := parseCommand(e.Pattern)
		if err != nil || kind != access.Execute {
			return access.Line{}, none
		}
		return access.Line{Commands: []access.Command{{Forms: []access.CommandText{text(atoms)}}}}, sound
	}
	p, err := parsePath(e.Pattern, env)
	if err != nil || p.absent != "" {
		return access.Line{}, none
	}
	a := access.Access{Kind: kind, External: true}
	if len(p.pieces) > 0 && p.pieces[0].deep {
		q, err := parsePath(added.Pattern, env)
		if err != nil || q.absent != "" {
			return access.Line{}, none
		}
		p.pieces = append(q.pieces[:len(q.pieces):len(q.pieces)], p.pieces...)
	}
	for _, c := range p.pieces {
		switch {
		case c.deep: // matches nothing as well
		case c.glob != nil:
			name, ok := instance(c.glob)
			if !ok {
				return access.Line{}, unclear
			}
			a.Path += "/" + name
		default:
			a.Path += "/" + c.text
		}
	}
	if a.Path == "" {
		a.Path = "/"
	}
	return access.Line{Accesses: []access.Access{a}}, sound
}

// instance is a name that a component matches.
func instance(glob []atom) (string, bool) {
	var b strings.Builder
	for _, a := range glob {
		switch a.kind {
		case atomText:
			writeRune(&b, a.r)
		case atomOne:
			b.WriteByte('x')
		case atomSet:
			r := 'a'
			for ; r < 'z' && !a.set.has(r); r++ {
			}
			if !a.set.has(r) && len(a.set.ranges) > 0 {
				r = a.set.ranges[0]
			}
			writeRune(&b, r)
		}
	}
	name := b.String()
	if name == "" || name == "." || name == ".." {
		name += "x" // of what is left, only a star made it so short
	}
	return name, matchAtoms(glob, name) && !strings.Contains(name, "/")
}

// text is a command pattern as the text of a command: what * stands for is unknown.
func text(atoms []atom) access.CommandText {
	parts := []string{""}
	for _, a := range atoms {
		switch a.kind {
		case atomText:
			var b strings.Builder
			writeRune(&b, a.r)
			parts[len(parts)-1] += b.String()
		case atomAny:
			parts = append(parts, "")
		default:
			parts[len(parts)-1] += "x"
		}
	}
	return access.CommandText{Parts: parts}
}

package policy

import "fmt"

// Policy is a compiled set of layers. It doesn't change and is safe for
// concurrent use.
type Policy struct {
	env      Env
	rules    []rule
	path     trie
	external trie
	commands commandRules
	own      []string
}

// rule is a compiled Entry. say has the rule as it is shown, by kind.
type rule struct {
	author Author
	say    [3]*Rule // read, write, execute; nil: no opinion
}

// Compile makes a policy of layers, in their order. A rule with a problem that is
// not a warning is left out; whoever loads a file checks its rules with [Check]
// before, so that none is.
func Compile(layers []Layer, env Env) (*Policy, []Problem) {
	p := &Policy{env: env, own: ownNames(env)}
	var problems []Problem
	for _, l := range layers {
		for _, e := range l.Rules {
			if msg, warning := p.add(l.Author, e); msg != "" {
				problems = append(problems, Problem{Origin: e.Origin, Message: msg, Warning: warning})
			}
		}
	}
	p.path.root.finish()
	p.external.root.finish()
	return p, problems
}

func (p *Policy) add(author Author, e Entry) (msg string, warning bool) {
	r := rule{author: author}
	strict := false
	for i, a := range [...]Action{e.Read, e.Write, e.Execute} {
		if a == NoOpinion {
			continue
		}
		strict = strict || a > Allow
		if i > 0 && r.say[i-1] != nil && r.say[i-1].Action == a {
			r.say[i] = r.say[i-1]
			continue
		}
		r.say[i] = &Rule{Surface: e.Surface, Pattern: e.Pattern, Action: a, Reason: e.Reason, Origin: e.Origin}
	}
	index := int32(len(p.rules))
	var t *trie
	switch e.Surface {
	case "bash":
		atoms, err := parseCommand(e.Pattern)
		if err != nil {
			return err.Error(), false
		}
		p.commands.add(atoms, index, e.Execute == Deny)
		p.rules = append(p.rules, r)
		return "", false
	case "path":
		t = &p.path
	case "external_directory":
		t = &p.external
	default:
		return fmt.Sprintf("surface %q is none of path, external_directory and bash", e.Surface), false
	}
	pat, err := parsePath(e.Pattern, &p.env)
	if err != nil {
		return err.Error(), false
	}
	if pat.absent != "" {
		return fmt.Sprintf("pattern %q matches nothing here: $%s has no value", e.Pattern, pat.absent), true
	}
	t.add(pat, index, strict)
	if real, ok := pat.resolved(p.env.Resolve); ok {
		t.add(real, index, strict)
	}
	p.rules = append(p.rules, r)
	return "", false
}

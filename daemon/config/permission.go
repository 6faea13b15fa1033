package config

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"extdir/daemon/policy"
)

var surfaces = []string{"path", "external_directory", "bash"}

// permission reads the surfaces in their order.
func (r *reader) permission(v hujson.Value, s *section) {
	for _, m := range r.object(v, `"permission"`) {
		if !slices.Contains(surfaces, m.name) {
			r.fail(m.at, "surface %q is not known%s", m.name, nearest(m.name, surfaces))
			continue
		}
		r.surface(m, s)
	}
}

// surface reads an action, or a map from pattern to action or {kinds, reason}.
func (r *reader) surface(m member, s *section) {
	if l, ok := m.value.Value.(hujson.Literal); ok && l.Kind() == '"' {
		if a, ok := r.action(m.value, `"`+m.name+`"`); ok {
			s.rules = append(s.rules, r.entry(s, m.name, "*", m.at, a))
		}
		return
	}
	if _, ok := m.value.Value.(*hujson.Object); !ok {
		r.fail(m.value.StartOffset, `%q must be an action ("allow", "ask" or "deny") or an object of patterns, not %s`, m.name, describe(m.value))
		return
	}
	for _, rule := range r.object(m.value, `"`+m.name+`"`) {
		if err := policy.Check(m.name, rule.name); err != nil {
			r.fail(rule.at, "%s", err)
			continue
		}
		e := r.entry(s, m.name, rule.name, rule.at, policy.NoOpinion)
		if _, ok := rule.value.Value.(*hujson.Object); ok {
			r.kinds(m.name, rule, &e)
		} else if a, ok := r.action(rule.value, `the rule "`+rule.name+`"`); ok {
			e.Read, e.Write, e.Execute = a, a, a
		}
		if strings.HasPrefix(rule.name, "$ROOT") || strings.HasPrefix(rule.name, "${ROOT}") {
			s.usesRoot = true
		}
		s.rules = append(s.rules, e)
	}
}

func (r *reader) entry(s *section, surface, pattern string, at int, a policy.Action) policy.Entry {
	e := policy.Entry{Surface: surface, Pattern: pattern, Read: a, Write: a, Execute: a}
	e.Origin.Layer = s.layer
	if r.file != "" {
		e.Origin.File = r.file
		e.Origin.Line, e.Origin.Col = r.place(at)
	}
	return e
}

// kinds reads {"read": …, "write": …, "execute": …, "reason": …}; of a command
// {"action": …, "reason": …}.
func (r *reader) kinds(surface string, rule member, e *policy.Entry) {
	names := []string{"read", "write", "execute", "action", "reason"}
	if surface == "bash" {
		names = []string{"action", "reason"}
	}
	all, some := false, false
	for _, m := range r.object(rule.value, "a rule") {
		if !slices.Contains(names, m.name) {
			r.fail(m.at, "key %q is not known in a rule%s", m.name, nearest(m.name, names))
			some = true
			continue
		}
		if m.name == "reason" {
			e.Reason, _ = r.wantText(m.value, `"reason"`)
			continue
		}
		a, _ := r.action(m.value, `"`+m.name+`"`)
		switch m.name {
		case "action":
			all = true
			e.Read, e.Write, e.Execute = a, a, a
			continue
		case "read":
			e.Read = a
		case "write":
			e.Write = a
		case "execute":
			e.Execute = a
		}
		some = true
	}
	switch {
	case all && some:
		r.fail(rule.at, `the rule %q has "action", which says all kinds at once, beside others: write one or the others`, rule.name)
	case !all && !some:
		r.fail(rule.at, "the rule %q says nothing: name an action", rule.name)
	}
}

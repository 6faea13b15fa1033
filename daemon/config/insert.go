package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"extdir/daemon/edit"
	"extdir/daemon/policy"
)

// Change is a change to the file: shown as a diff, then written if the file is still
// what it was.
type Change = edit.Change

// Insert makes the change that adds a rule, comments and layout kept: directly
// after the rule that decided where that stands in this file, else after "*", else
// as the first of its surface. It refuses if another rule would become looser for
// what it itself names.
func (c *Config) Insert(e policy.Entry, decided policy.Origin, root, agent string) (Change, error) {
	file := c.opts.File
	if file == "" {
		return Change{}, fmt.Errorf("there is no configuration file to write to")
	}
	old, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return Change{}, fmt.Errorf("%s can't be read: %s", file, plain(err))
	}
	if err := policy.Check(e.Surface, e.Pattern); err != nil {
		return Change{}, err
	}
	if !utf8.ValidString(e.Pattern) || !utf8.ValidString(e.Reason) {
		return Change{}, fmt.Errorf("%q holds bytes that are no text, which a JSON file can't: allow its directory instead", e.Pattern)
	}
	if e.Surface == "bash" {
		e.Read, e.Write = e.Execute, e.Execute
	}
	src := old
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{\n}\n")
	}
	before, problems := parse(file, src, userFile)
	if len(problems) > 0 {
		return Change{}, fmt.Errorf("%s must be repaired first: %w", filepath.Base(file), problems[0])
	}
	next, after, err := added(file, src, before, e, decided)
	if after == nil && err == nil {
		// The file changed since the rule decided: what stands there is another.
		next, after, err = added(file, src, before, e, policy.Origin{})
	}
	if err != nil {
		return Change{}, err
	}
	if after == nil {
		return Change{}, fmt.Errorf("the rule can't be placed in %s: add it by hand", file)
	}
	now := c.now.Load().files
	was, is := &generation{opts: &c.opts, files: now}, &generation{opts: &c.opts, files: now}
	was.files[1], is.files[1] = before, after
	env := policy.Env{Home: c.opts.Home, TmpDir: c.opts.TmpDir, Root: root, Resolve: c.opts.Resolve}
	if r, looser := policy.Looser(was.layers(was.sections(root, agent)), is.layers(is.sections(root, agent)), env, e, decided); looser {
		where := "the defaults"
		if r.Origin.File != "" {
			where = fmt.Sprintf("%s:%d", filepath.Base(r.Origin.File), r.Origin.Line)
		}
		return Change{}, fmt.Errorf("the rule %q would loosen the rule %q of %s as well: write it by hand where you want it", e.Pattern, r.Pattern, where)
	}
	if r := policy.Overruled(is.layers(is.sections(root, agent)), env, e); r != nil {
		return Change{}, fmt.Errorf("the rule %q would have no effect: %s decides", e.Pattern, r.Text())
	}
	return Change{File: file, Old: old, New: next}, nil
}

// added inserts and reads the result; nil if it isn't the file with that rule more.
func added(name string, src []byte, before *file, e policy.Entry, decided policy.Origin) ([]byte, *file, error) {
	next, err := insert(name, src, e, decided)
	if err != nil {
		return nil, nil, err
	}
	after, problems := parse(name, next, userFile)
	if len(problems) > 0 || after.count(nil) != before.count(nil)+1 || after.count(&e) != before.count(&e)+1 {
		return nil, nil, nil
	}
	return next, after, nil
}

// insert returns the text with the rule added.
func insert(file string, src []byte, e policy.Entry, decided policy.Origin) ([]byte, error) {
	t := &tree{file: file}
	v, ok := t.read(src)
	if !ok {
		return nil, fmt.Errorf("%s must be repaired first: %w", filepath.Base(file), t.problems[0])
	}
	bom := src[:len(src)-len(t.src)]
	rule := quote(e.Pattern) + ": " + says(e)
	name := `"permission"`
	top, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s must be an object { … }", filepath.Base(file))
	}
	permission := lookup(top, "permission")
	decider := -1
	if decided.File == file {
		decider = t.offset(decided.Line, decided.Col)
	}
	var out []byte
	owner, object, at := locate(&v, decider)
	switch {
	case object != nil && named(object.Members[at], e.Surface):
		// The surface is one action: the pattern "*".
		out = t.star(object.Members[at].Value, rule)
	case object != nil:
		out = t.put(*owner, object, at, rule)
	case permission == nil:
		out = t.put(v, top, -1, name+": { "+quote(e.Surface)+": { "+rule+" } }")
	default:
		surfaces, ok := permission.Value.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s: \"permission\" must be an object { … }", filepath.Base(file))
		}
		surface := lookup(surfaces, e.Surface)
		switch {
		case surface == nil:
			out = t.put(permission.Value, surfaces, len(surfaces.Members)-1, quote(e.Surface)+": { "+rule+" }")
		default:
			switch rules := surface.Value.Value.(type) {
			case *hujson.Object:
				out = t.put(surface.Value, rules, star(rules), rule)
			case hujson.Literal:
				out = t.star(surface.Value, rule)
			default:
				return nil, fmt.Errorf("%s: %q must be an action or an object", filepath.Base(file), e.Surface)
			}
		}
	}
	return slices.Concat(bom, out), nil
}

// locate finds the member whose name stands at an offset.
func locate(v *hujson.Value, offset int) (owner *hujson.Value, o *hujson.Object, i int) {
	for value := range v.All() {
		object, ok := value.Value.(*hujson.Object)
		if !ok || offset < value.StartOffset || offset >= value.EndOffset {
			continue
		}
		for i := range object.Members {
			if object.Members[i].Name.StartOffset == offset {
				return value, object, i
			}
		}
	}
	return nil, nil, 0
}

func named(m hujson.ObjectMember, name string) bool {
	l, ok := m.Name.Value.(hujson.Literal)
	_, action := m.Value.Value.(hujson.Literal)
	return ok && action && l.String() == name
}

// star makes an object of a surface that is one action for all.
func (t *tree) star(v hujson.Value, rule string) []byte {
	return slices.Concat(t.src[:v.StartOffset], []byte(`{ "*": `), t.src[v.StartOffset:v.EndOffset], []byte(", "+rule+" }"), t.src[v.EndOffset:])
}

// star is the index of the rule for everything, -1 if there is none.
func star(rules *hujson.Object) int {
	for i, m := range rules.Members {
		if name, ok := m.Name.Value.(hujson.Literal); ok && name.String() == "*" {
			return i
		}
	}
	return -1
}

func lookup(o *hujson.Object, name string) *hujson.ObjectMember {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			return &o.Members[i]
		}
	}
	return nil
}

// put writes a member behind member i of an object (-1: as the first), on a line
// of its own where the others have one. A comment behind member i stays with it.
func (t *tree) put(v hujson.Value, o *hujson.Object, i int, text string) []byte {
	last := i == len(o.Members)-1
	from := v.StartOffset + 1 // behind the brace
	comma := false            // member i needs one
	if i >= 0 {
		from = o.Members[i].Value.EndOffset
		switch {
		case !last:
			from = o.Members[i+1].Name.StartOffset - len(o.Members[i+1].Name.BeforeExtra)
		case o.Members[i].Value.AfterExtra != nil:
			// A comma stands behind what follows the last value.
			from += len(o.Members[i].Value.AfterExtra) + 1
		default:
			comma = true
		}
	}
	to := v.EndOffset - 1
	if !last {
		to = o.Members[i+1].Name.StartOffset
	}
	gap := t.src[from:to]
	head := slices.Clone(t.src[:from])
	if comma {
		head = append(head, ',')
	}
	end := ""
	if !last {
		end = ","
	}
	if n := bytes.IndexByte(gap, '\n'); n >= 0 {
		head = append(head, gap[:n+1]...)
		return slices.Concat(head, []byte(t.indent(v, o)+text+end+"\n"), gap[n+1:], t.src[to:])
	}
	lead := " "
	switch {
	case !last:
		end += " "
		if i < 0 && !bytes.HasPrefix(gap, []byte(" ")) {
			lead = ""
		}
	case i < 0 || bytes.HasSuffix(gap, []byte(" ")):
		end = " "
	}
	return slices.Concat(head, []byte(lead+text+end), bytes.Trim(gap, " "), t.src[to:])
}

// indent is what stands before the members of an object.
func (t *tree) indent(v hujson.Value, o *hujson.Object) string {
	at, more := v.StartOffset, "  "
	if len(o.Members) > 0 {
		at, more = o.Members[0].Name.StartOffset, ""
	}
	line := t.src[bytes.LastIndexByte(t.src[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]) + more
}

func quote(s string) string {
	b := &bytes.Buffer{}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.TrimSpace(b.String())
}

// says is the value of a rule: an action, or an object of those kinds it speaks of.
func says(e policy.Entry) string {
	if e.Surface == "bash" || e.Read == e.Write && e.Write == e.Execute {
		if e.Reason == "" {
			return quote(e.Execute.String())
		}
		return `{ "action": ` + quote(e.Execute.String()) + `, "reason": ` + quote(e.Reason) + ` }`
	}
	var parts []string
	for _, k := range []struct {
		name string
		a    policy.Action
	}{{"read", e.Read}, {"write", e.Write}, {"execute", e.Execute}} {
		if k.a != policy.NoOpinion {
			parts = append(parts, quote(k.name)+": "+quote(k.a.String()))
		}
	}
	if e.Reason != "" {
		parts = append(parts, `"reason": `+quote(e.Reason))
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

package policy

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"extdir/daemon/access"
)

// Text says a finding in one clause, ready for a terminal:
//
//	/etc/shadow is outside /code/app (rule "/etc/*": "deny", config.json:14)
func (f Finding) Text(line access.Line, ctx Context) string {
	var b strings.Builder
	switch {
	case f.Gate == "built-in":
		f.builtinText(&b, line)
		return b.String()
	case f.Gate == "bash":
		fmt.Fprintf(&b, "command %s", Printable(f.Name))
	case f.Gate == "unknown" && f.Name != "":
		fmt.Fprintf(&b, "what %s stands for can't be told from the line", Printable(f.Name))
	case f.Gate == "unknown":
		b.WriteString("what the line touches can't be told from its text")
		if f.Access >= 0 && line.Accesses[f.Access].Why != "" {
			b.WriteString(" (" + Printable(line.Accesses[f.Access].Why) + ")")
		} else if line.Error != "" {
			b.WriteString(" (" + Printable(line.Error) + ")")
		}
	case f.Gate == "external_directory":
		name, at := f.names(line)
		if at != "" {
			name += " " + at + ", which"
		}
		b.WriteString(name + " is outside")
		if len(ctx.Roots) > 0 {
			b.WriteString(" " + Printable(strings.Join(ctx.Roots, " and ")))
		} else {
			b.WriteString(": the session has no root")
		}
	default:
		name, at := f.names(line)
		if f.Access >= 0 {
			b.WriteString(line.Accesses[f.Access].Kind.String() + " of ")
		}
		b.WriteString(name)
		if at != "" {
			b.WriteString(", which " + at)
		}
	}
	switch {
	case f.Rule != nil:
		b.WriteString(" (" + f.Rule.Text() + ")")
		if f.Rule.Reason != "" {
			b.WriteString(": " + Printable(f.Rule.Reason))
		}
	case f.Gate == "unknown":
		fmt.Fprintf(&b, " (\"unknown\": %q)", f.Action)
	case f.Gate == "external_directory":
		fmt.Fprintf(&b, " (no rule: %q)", f.Action)
	default:
		b.WriteString(" (it may stand for more paths than could be looked at)")
	}
	return b.String()
}

// names shows the access with both its names where they differ; at says how the
// name that decided is related to it, if it is another one.
func (f Finding) names(line access.Line) (name, at string) {
	if f.Access < 0 {
		return Printable(f.Name), ""
	}
	a := line.Accesses[f.Access]
	name = Printable(a.Typed)
	switch {
	case a.Typed == "":
		name = Printable(a.Path)
	case a.Path != "" && a.Path != a.Typed:
		name += " -> " + Printable(a.Path)
	}
	base := strings.TrimSuffix(a.Path, "/*")
	switch {
	case f.Name == a.Path || f.Name == a.Typed || f.Name == base || f.Name == strings.TrimSuffix(a.Typed, "/*"):
	case a.Dir && below(f.Name, base):
		at = "holds " + Printable(f.Name)
	default:
		at = "may be " + Printable(f.Name)
	}
	return name, at
}

func (f Finding) builtinText(b *strings.Builder, line access.Line) {
	var a access.Access
	if f.Access >= 0 {
		a = line.Accesses[f.Access]
	}
	switch {
	case f.Name == "":
		b.WriteString(Printable(a.Why) + " acts on the guard itself (built-in)")
	case f.Name == a.Path || f.Name == a.Typed:
		b.WriteString(Printable(f.Name) + " belongs to extdir itself (built-in)")
	default:
		name := a.Typed
		if name == "" {
			name = a.Path
		}
		fmt.Fprintf(b, "writing %s reaches %s, which belongs to extdir itself (built-in)", Printable(name), Printable(f.Name))
	}
}

// Text names a rule as it stands in its file: rule "/etc/*": "deny", config.json:14
func (r *Rule) Text() string {
	where := r.Origin.Layer
	if r.Origin.File != "" {
		where = fmt.Sprintf("%s:%d", Printable(filepath.Base(r.Origin.File)), r.Origin.Line)
	}
	return fmt.Sprintf("rule %q: %q, %s", Printable(r.Pattern), r.Action, where)
}

// Printable escapes what could make a terminal show something else than the bytes:
// control characters, bidirectional and zero-width ones, bytes that are no text.
func Printable(s string) string {
	clean := true
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := decode(s)
		switch {
		case r >= invalidBase:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

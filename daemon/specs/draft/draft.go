// Package draft makes a first spec of a command out of its help text: GNU,
// argparse, click, cobra, clap, docopt, Go's flag package, and man pages.
//
// A help text says which options there are and seldom what their values are. So
// only numbers and the like become text; what may be a path is one, and all else
// is the kind guess. Every such choice is marked by a comment, for a person to
// check.
package draft

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"extdir/daemon/command"
)

// Of drafts a spec of the command words[0], or of its subcommand words[1:].
func Of(words []string, help string) (string, error) {
	lines := clean(help)
	d := &draft{words: words, seen: map[string]bool{}, lines: lines}
	d.subcommands()
	d.options()
	d.usage()
	if len(d.opts) == 0 && len(d.subs) == 0 && d.operands == "" {
		return "", fmt.Errorf("no option, operand or subcommand of %s was found in its help; write the spec by hand", strings.Join(words, " "))
	}
	return sound(d.text())
}

type draft struct {
	words    []string
	lines    []string
	opts     []option
	subs     []string
	operands string // after usage; "" if not understood
	doubts   []string
	goFlags  bool // one dash or two, all the same
	longDash bool
	seen     map[string]bool
}

var (
	backspace = regexp.MustCompile(".\x08")
	colour    = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
)

func clean(help string) []string {
	help = backspace.ReplaceAllString(help, "")
	help = colour.ReplaceAllString(help, "")
	help = strings.NewReplacer("\r", "", "‐", "-", "−", "-", "\u00a0", " ").Replace(help)
	help = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f {
			return r
		}
		return -1
	}, help)
	var out []string
	for _, l := range strings.Split(help, "\n") {
		out = append(out, strings.TrimRight(l, " \t"))
	}
	return out
}

var subHead = regexp.MustCompile(`(?i)^[a-z ]*\b(sub)?commands( \([^)]*\))?:?$`)

// subcommands reads the lists below "Commands:" and the like.
func (d *draft) subcommands() {
	in := false
	indent := 0
	for _, l := range d.lines {
		trimmed := strings.TrimSpace(l)
		at := len(l) - len(strings.TrimLeft(l, " \t"))
		switch {
		case subHead.MatchString(l):
			in, indent = true, 0
			continue
		case trimmed == "" || !in:
			continue
		case at == 0:
			in = false
			continue
		}
		if indent == 0 {
			indent = at
		}
		if at != indent {
			continue
		}
		names, _, _ := strings.Cut(strings.ReplaceAll(trimmed, "\t", "  "), "  ")
		for _, n := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' }) {
			n = strings.TrimSuffix(strings.TrimSuffix(n, ":"), "*")
			if !subName.MatchString(n) {
				break
			}
			d.sub(n)
		}
	}
}

var subName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

func (d *draft) sub(n string) {
	if !d.seen["sub "+n] {
		d.seen["sub "+n] = true
		d.subs = append(d.subs, n)
	}
}

var usageHead = regexp.MustCompile(`(?i)^\s*(usage|synopsis|or)\b( of [^:]*)?:?\s*`)

// usageLines are the lines that show how the command is called, without its name.
func (d *draft) usageLines() []string {
	var out []string
	in := false
	for _, l := range d.lines {
		m := usageHead.FindString(l)
		rest := strings.TrimSpace(l[len(m):])
		trimmed := strings.TrimSpace(l)
		switch {
		case m != "" && (in || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(m)), "or")):
			if strings.Contains(strings.ToLower(m), "usage of") {
				d.goFlags = true
				in = false
				continue
			}
			in = true
			if rest != "" {
				out = append(out, rest)
			}
		case in && trimmed == "":
			if len(out) > 0 {
				in = false
			}
		case in && l == trimmed:
			in = false
		case in && len(out) > 0 && !d.calls(trimmed):
			out[len(out)-1] += " " + trimmed // the line before goes on
		case in:
			out = append(out, trimmed)
		}
	}
	var calls []string
	for _, l := range out {
		if d.calls(l) {
			calls = append(calls, d.after(l))
		}
	}
	return calls
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func (d *draft) calls(l string) bool {
	f := strings.Fields(l)
	return len(f) > 0 && base(strings.TrimPrefix(f[0], "$")) == base(d.words[0])
}

// after drops the name and the subcommands.
func (d *draft) after(l string) string {
	f := strings.Fields(l)[1:]
	for _, w := range d.words[1:] {
		if len(f) > 0 && f[0] == w {
			f = f[1:]
		}
	}
	return strings.Join(f, " ")
}

// text writes the spec.
func (d *draft) text() string {
	var b strings.Builder
	call := strings.Join(d.words, " ")
	fmt.Fprintf(&b, "# A draft of %s, made from its help. Lines marked guess need a look:\n", call)
	b.WriteString("# is the value a file that is read, one that is written (/w), or text?\n")
	b.WriteString(base(d.words[0]) + "\n")
	in := "    "
	for _, w := range d.words[1:] {
		b.WriteString(in + "sub " + w + "\n")
		in += "    "
	}
	switch {
	case d.goFlags:
		b.WriteString(in + "parse dashes\n")
	case d.longDash:
		b.WriteString(in + "parse longdash\n")
	}
	switch {
	case d.operands != "":
		b.WriteString(in + "usage " + d.operands + "    # guess\n")
	case len(d.subs) == 0:
		b.WriteString(in + "# usage <file>...    (its help doesn't say, or not clearly)\n")
	}
	for _, l := range d.doubts {
		b.WriteString(in + "# also called as: " + l + "\n")
	}
	var flags []string
	flush := func() {
		for len(flags) > 0 {
			n := min(8, len(flags))
			b.WriteString(in + strings.Join(flags[:n], ", ") + "\n")
			flags = flags[n:]
		}
	}
	for _, o := range d.opts {
		if o.value == "" {
			flags = append(flags, o.names...)
			continue
		}
		flush()
		fmt.Fprintf(&b, "%s%s %s", in, strings.Join(o.names, ", "), o.value)
		if o.why != "" {
			fmt.Fprintf(&b, "    # guess: %s", o.why)
		}
		b.WriteByte('\n')
	}
	flush()
	for _, s := range d.subs {
		fmt.Fprintf(&b, "%ssub %s    # extdird spec from-help %s %s\n", in, s, call, s)
	}
	return b.String()
}

// sound makes sure that the draft is a spec: a line that is none becomes a comment.
func sound(text string) (string, error) {
	table, err := command.Builtin()
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	for range lines {
		_, err := table.Over([]command.File{{Name: "draft", Text: strings.Join(lines, "\n")}})
		var e *command.SpecError
		if err == nil {
			return strings.Join(lines, "\n"), nil
		}
		if !errors.As(err, &e) || e.Line < 1 || e.Line > len(lines) {
			return "", err
		}
		l := lines[e.Line-1]
		at := len(l) - len(strings.TrimLeft(l, " "))
		if at == 0 {
			return "", err
		}
		lines[e.Line-1] = l[:at] + "# not understood: " + l[at:]
	}
	return "", errors.New("no spec could be made of the help; write it by hand")
}

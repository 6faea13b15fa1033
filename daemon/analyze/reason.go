package analyze

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// Reasons: what could not be known, in the words of who typed the line.

// from gives the unknown parts of a word an origin, where they have none.
func from(w access.Word, origin string) access.Word {
	for i, s := range w.Segs {
		if s.Class == access.Known || s.From != "" {
			continue
		}
		segs := append([]access.Segment(nil), w.Segs...)
		for j := i; j < len(segs); j++ {
			if segs[j].Class != access.Known && segs[j].From == "" {
				segs[j].From = origin
			}
		}
		w.Segs = segs
		break
	}
	return w
}

// printed names a command substitution as the origin of what isn't known of its
// output. It is quoted as it stands in the line; inside of a text that is read
// once more there is nothing to quote, and it is printed anew.
func (x *run) printed(w access.Word, s *syntax.CmdSubst) access.Word {
	w = numbered(w, s)
	missing := false
	for _, seg := range w.Segs {
		missing = missing || seg.Class != access.Known && seg.From == ""
	}
	if !missing {
		return w
	}
	start, end := int(s.Pos().Offset()), int(s.End().Offset())
	if start >= 0 && start < end && end <= len(x.r.Line) {
		if text := x.r.Line[start:end]; text[0] == '`' && text[len(text)-1] == '`' ||
			strings.HasPrefix(text, "$") && strings.ContainsAny(text[len(text)-1:], ")}") {
			return from(w, text)
		}
	}
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, &syntax.Word{Parts: []syntax.WordPart{s}}); err != nil {
		return w
	}
	return from(w, b.String())
}

// numbered gives a number to what isn't known of a command substitution's output: its place.
func numbered(w access.Word, s *syntax.CmdSubst) access.Word {
	if w.Known() {
		return w
	}
	w.Segs = append([]access.Segment(nil), w.Segs...)
	for i := range w.Segs {
		if w.Segs[i].Class != access.Known {
			w.Segs[i].Same = uint32(max(int(s.Pos().Offset()), 0)) + 1
		}
	}
	return w
}

// maxQuoted is how many characters of the line a reason quotes.
const maxQuoted = 48

// shortly shortens a piece of the line.
func shortly(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxQuoted {
		return string(r[:maxQuoted-1]) + "…"
	}
	return text
}

// because says why a word isn't known: what the first of its widest unknown parts
// came from. "" if all of it is known.
func (x *run) because(st *state, w access.Word) string {
	var part access.Segment
	for _, s := range w.Segs {
		// Any over Inside over Name: that is what makes the word unknown.
		if s.Class > part.Class {
			part = s
		}
	}
	if part.Class == access.Known {
		return ""
	}
	if part.From == "" && part.Start >= 0 && part.Start < part.End && part.End <= len(x.r.Line) {
		part.From = x.r.Line[part.Start:part.End]
		if !strings.ContainsAny(part.From[:1], "$`~") {
			return "what " + shortly(part.From) + " prints isn't known"
		}
	}
	switch o := part.From; {
	case o == "":
		return "it can't be determined"
	case strings.HasPrefix(o, "$((") || strings.HasPrefix(o, "$["):
		return "the result of " + shortly(o) + " isn't known"
	case strings.HasPrefix(o, "$(") || o[0] == '`' || strings.HasPrefix(o, "${ ") || strings.HasPrefix(o, "${|"):
		return "the output of " + shortly(o) + " isn't known"
	case o[0] == '<' || o[0] == '>':
		return "what " + shortly(o) + " gives isn't known"
	case strings.HasPrefix(o, "~"):
		if name := strings.TrimLeft(o, "~"); name != "" && strings.Trim(name, "+-0123456789") != "" && name[0] != '[' {
			return "the home directory of " + shortly(name) + " isn't known"
		}
		return "the directory " + shortly(o) + " isn't known"
	case len(o) == 2 && strings.Contains("$?!#-", o[1:]):
		return "the value of " + o + " is known to the shell alone"
	case o[0] == '$':
		name := strings.TrimPrefix(strings.TrimPrefix(o, "$"), "{")
		name, _, _ = strings.Cut(name, "[")
		if _, own := st.vars[name]; own {
			return "the value of " + shortly(o) + " isn't known at this point of the line"
		}
		return "the value of " + shortly(o) + " isn't known: an earlier line or the environment may set it"
	default:
		return shortly(o) + " isn't known"
	}
}

// unclear reports a text that can't be determined, and why.
func (x *run) unclear(st *state, kind access.Kind, what string, w access.Word, start, end int) {
	why := what + " can't be determined"
	if reason := x.because(st, w); reason != "" {
		why = what + ": " + reason
	}
	x.unnamed(kind, why, start, end)
}

// heard is what is known of the text that a name of a pipe gives.
func (s *state) heard(name string) access.Word {
	in := s.in
	if fd, ok := s.fds[name]; ok {
		in = fd
	}
	if in.kind == fromPipe && in.text.Known() {
		return from(anything, "what comes through the pipe")
	}
	return in.text
}

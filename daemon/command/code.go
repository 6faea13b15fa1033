package command

import (
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/lang"
)

// code hands a program text to the reader of its language.
func (v valuer) code(k kind, program access.Word) {
	read, ok := lang.Lookup(k.arg)
	if !ok {
		v.g.Unknown(program, "no reader for "+k.arg+" programs")
		return
	}
	if v.modes == 0 {
		v.modes = k.modes
	}
	if k.arg == "make" && v.with != nil {
		program = v.with.overrides(program)
	}
	read(program, host{v, program, k.arg})
}

// overrides is a makefile with the variables that make was given.
func (r *reader) overrides(makefile access.Word) access.Word {
	out := makefile
	for _, w := range r.slots.of("target") {
		if text, known := w.Lit(); known && strings.Contains(text, "=") && !strings.Contains(text, "\n") {
			out = access.Text("override " + text + "\n").Concat(out)
		}
	}
	out.Start, out.End = makefile.Start, makefile.End
	return out
}

// host is a ground as the small languages see it.
type host struct {
	v        valuer
	program  access.Word
	language string
}

// File reports a file of the program. Where the spec says how the word is used
// (the last image of convert is written), that goes before what the reader knows.
func (h host) File(name access.Word, k access.Kind, why string) {
	v := h.v
	if strings.HasPrefix(why, "string in ") && !h.rooted(name) {
		return
	}
	v.why, v.value = why, ""
	if v.modes == 0 {
		v.modes = access.Kinds(k)
	}
	v.path(kind{}, h.home(name))
	if k == access.Execute {
		h.Include(h.home(name))
	}
}

// rooted tells whether the first folder of an absolute name is there. A string that
// nobody is seen to open is no path without it: scripts are full of routes like
// /api/users.
func (h host) rooted(name access.Word) bool {
	p, known := name.Prefix()
	if !strings.HasPrefix(p, "/") {
		return true
	}
	first, _, cut := strings.Cut(p[1:], "/")
	if !cut && !known {
		return true
	}
	exists, _ := h.v.g.Stat(access.Text("/" + first))
	return exists
}

func (h host) Shell(text access.Word)  { h.v.g.Shell("sh", text, nil) }
func (h host) Exec(argv []access.Word) { h.v.g.Run(argv) }
func (h host) Unknown(why string)      { h.v.g.Unknown(h.program, why) }

// home expands a leading tilde that the language itself would expand.
func (h host) home(w access.Word) access.Word {
	if len(w.Segs) == 0 || w.Segs[0].Quoted || w.Segs[0].Class != access.Known {
		return w
	}
	if t := w.Segs[0].Text; t != "~" && !strings.HasPrefix(t, "~/") {
		return w
	}
	if dir, ok := h.v.g.Var("HOME"); ok {
		return dir.Concat(w.From(1))
	}
	return access.Unknowable(access.Any, w.Start, w.End)
}

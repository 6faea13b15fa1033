package command

import (
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/lang"
)

// code hands a program text to the reader of its language.
func (v valuer) code(name string, program access.Word) {
	read, ok := lang.Lookup(name)
	if !ok {
		v.g.Unknown(program, "no reader for "+name+" programs")
		return
	}
	read(program, host{v.g, program})
}

// host is a ground as the small languages see it.
type host struct {
	g       Ground
	program access.Word
}

func (h host) File(name access.Word, k access.Kind, why string) {
	h.g.Path(Path{Word: h.home(name), Kind: k, Why: why})
}

func (h host) Shell(text access.Word)  { h.g.Shell("sh", text, nil) }
func (h host) Exec(argv []access.Word) { h.g.Run(argv) }
func (h host) Unknown(why string)      { h.g.Unknown(h.program, why) }

// home expands a leading tilde that the language itself would expand.
func (h host) home(w access.Word) access.Word {
	if len(w.Segs) == 0 || w.Segs[0].Quoted || w.Segs[0].Class != access.Known {
		return w
	}
	if t := w.Segs[0].Text; t != "~" && !strings.HasPrefix(t, "~/") {
		return w
	}
	if dir, ok := h.g.Var("HOME"); ok {
		return dir.Concat(w.From(1))
	}
	return access.Unknowable(access.Any, w.Start, w.End)
}

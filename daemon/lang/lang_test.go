package lang

import (
	"strings"
	"testing"

	"extdir/daemon/access"
)

// record writes down what a reader reports, one line each: "read NAME",
// "shell TEXT", "exec A|B", "unknown".
type record struct{ lines []string }

func show(w access.Word) string {
	s := w.String()
	if len(w.Segs) > 0 && w.Segs[0].Class == access.Known && !w.Segs[0].Quoted && strings.HasPrefix(s, "~") {
		return "HOME" + s[1:]
	}
	return s
}

func (r *record) File(name access.Word, kind access.Kind, why string) {
	if why == "" {
		panic("access without a reason")
	}
	r.add(kind.String() + " " + show(name))
}
func (r *record) Shell(text access.Word) { r.add("shell " + text.String()) }
func (r *record) Unknown(why string) {
	if why == "" {
		panic("unknown without a reason")
	}
	r.add("unknown")
}

func (r *record) Exec(argv []access.Word) {
	var a []string
	for _, w := range argv {
		a = append(a, show(w))
	}
	r.add("exec " + strings.Join(a, "|"))
}

// add keeps the first of equal lines: a repeated report says nothing new.
func (r *record) add(s string) {
	for _, l := range r.lines {
		if l == s {
			return
		}
	}
	r.lines = append(r.lines, s)
}

// program makes a word of text in which … is an unknown part.
func program(text string) access.Word {
	var w access.Word
	for i, s := range strings.Split(text, "…") {
		if i > 0 {
			w.Segs = append(w.Segs, access.Segment{Class: access.Any})
		}
		if s != "" {
			w.Segs = append(w.Segs, access.Segment{Text: s, Quoted: true})
		}
	}
	return w
}

// sample is a program and what it does; no want: it does nothing.
type sample struct {
	code string
	want string // lines of record joined by "; "
}

func check(t *testing.T, name string, samples []sample) {
	t.Helper()
	read, ok := Lookup(name)
	if !ok {
		t.Fatalf("no reader %s", name)
	}
	for _, s := range samples {
		var r record
		read(program(s.code), &r)
		if got := strings.Join(r.lines, "; "); got != s.want {
			t.Errorf("%s %q\n got %s\nwant %s", name, s.code, got, s.want)
		}
	}
}

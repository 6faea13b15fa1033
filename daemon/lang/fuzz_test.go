package lang

import (
	"os"
	"strings"
	"testing"
	"time"

	"extdir/daemon/access"
)

// quiet counts reports: a reader must not multiply what it is given.
type quiet struct{ n int }

func (q *quiet) File(w access.Word, _ access.Kind, why string) { _ = w.String(); q.n++ }
func (q *quiet) Shell(access.Word)                             { q.n++ }
func (q *quiet) Exec([]access.Word)                            { q.n++ }
func (q *quiet) Unknown(string)                                { q.n++ }

// FuzzReaders gives every reader every text: none may panic or report more than
// the text can hold.
func FuzzReaders(f *testing.F) {
	for _, s := range []string{
		"s/a/b/w f", "print > \"x\" $1", "{{{{", "((((", "[[[[", "`${`${`", "\\", "\"", "'", "a\x00b", "…", "open('/x' + …)",
		"import \"a\" as b {search:\"/x\"};", "SELECT readfile('/x');", ":w /x|r /y", "q{}", "%q(a)", "<<A\nx\nA\n", "f\"{x}\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		w := program(text)
		for _, name := range Names() {
			read, _ := Lookup(name)
			var q quiet
			read(w, &q)
			if q.n > 64*(len(text)+4) {
				t.Errorf("%s reports %d accesses for %d bytes", name, q.n, len(text))
			}
		}
	})
}

// TestLinear gives every reader 16 KB of what could make it slow or deep.
func TestLinear(t *testing.T) {
	for _, unit := range []string{
		"(", "[", "{", "\"", "'", "`", "/", "\\", "$", "a", "f(", "a=[", "\n", ";", "s/[/", "x+", "'a'+", "\"${", "\"#{", "`${", "%(", "q(", "qw{",
		"<<A\n", "a.b", "a=a+'/x';", "for a in b:\n", "if(", "-", "!", "@", "r\"", "f'{", "{{", "print >", "getline <", "a,", "a=>", "x?", "x[",
		"function f(a){", "lambda:", "def f(a):", "open ", "puts ", "'/a','", "/* ", "--[[", "#", ":/a", "movie=", "\x00", "…", "a=\"…\"\n",
	} {
		text := strings.Repeat(unit, 16000/len(unit))
		w := program(text)
		if len(w.Segs) > 8000 {
			w.Segs = w.Segs[:8000]
		}
		for _, name := range Names() {
			read, _ := Lookup(name)
			start := time.Now()
			read(w, &quiet{})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("%s takes %v for 16 KB of %q", name, d, unit)
			}
		}
	}
}

func TestTooLong(t *testing.T) {
	for _, name := range Names() {
		read, _ := Lookup(name)
		var r record
		read(access.Text(strings.Repeat(" ", maxProgram+1)), &r)
		if strings.Join(r.lines, ";") != "unknown" {
			t.Errorf("%s says %q of a program that is too long", name, r.lines)
		}
	}
}

func TestLookup(t *testing.T) {
	if _, ok := Lookup("cobol"); ok {
		t.Error("a reader for a language nobody wrote")
	}
	doc, err := os.ReadFile("lang.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := words(strings.ReplaceAll(string(doc), "//", " "))
	for _, name := range Names() {
		if !listed[name] {
			t.Errorf("the package comment doesn't list %s", name)
		}
	}
}

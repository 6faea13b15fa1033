package lang

import (
	"strings"

	"extdir/daemon/access"
)

// maxForms bounds what one value may be: more possibilities make it computed.
const maxForms = 16

// value is what an expression of a program may come to.
type value struct {
	forms []access.Word // the constants it may be, unknown parts kept
	// computed: it may be something else as well.
	computed bool
	// judged: it names something that was reported where it came from: an
	// argument of the command (its spec judges it), a name listed below a
	// directory that was reported.
	judged bool
	// list is the elements, of a list or table. names are the variables they
	// stand in, where they are a pattern to store into; keys those of a table.
	list  []value
	names []string
	keys  []string
}

var (
	computed = value{computed: true}
	judged   = value{judged: true}
)

func constant(w access.Word) value { return value{forms: []access.Word{w}} }

func (v value) zero() bool {
	return len(v.forms) == 0 && !v.computed && !v.judged && v.list == nil
}

// element is what a value gives when it is walked over or indexed.
func (v value) element() value {
	out := value{judged: v.judged, computed: v.computed}
	for _, e := range v.list {
		out = out.or(e)
	}
	for _, f := range v.forms {
		if len(f.Segs) == 1 && f.Segs[0].Class == access.Name { // names in a directory
			out = out.add(f)
		} else {
			out.computed = true
		}
	}
	if out.zero() {
		out.computed = true
	}
	return out
}

// joinPath is a path made of two: an absolute second part stands alone.
func joinPath(a, b value) value {
	var out value
	for _, f := range b.forms {
		if f.HasPrefix("/") {
			out = out.add(f)
		} else {
			out = out.or(a.concat(constant(access.Text("/"))).concat(constant(f)))
		}
	}
	if b.computed || b.zero() || b.list != nil {
		out = out.or(a.concat(constant(access.Text("/"))).concat(computed))
	}
	if b.judged {
		if a.judged && !a.computed {
			return out.or(judged)
		}
		out = out.or(judged)
	}
	return out
}

// dirOf is the directory of a path.
func dirOf(v value) value {
	if v.judged && !v.computed && len(v.forms) == 0 {
		return computed
	}
	out := value{computed: v.computed}
	for _, f := range v.forms {
		before, _, ok := f.CutLast('/')
		switch {
		case !ok:
			out = out.add(access.Text("."))
		case before.Empty():
			out = out.add(access.Text("/"))
		default:
			out = out.add(before)
		}
	}
	if out.zero() {
		return computed
	}
	return out
}

// known is what of a value begins with known text.
func (v value) known() value {
	out := value{judged: v.judged, list: v.list, keys: v.keys, names: v.names}
	for _, f := range v.forms {
		if len(f.Segs) == 0 || f.Segs[0].Class != access.Any {
			out.forms = append(out.forms, f)
		}
	}
	return out
}

// or is what either value may be.
func (v value) or(o value) value {
	out := value{computed: v.computed || o.computed, judged: v.judged || o.judged}
	out.forms = append(out.forms, v.forms...)
	for _, f := range o.forms {
		out = out.add(f)
	}
	if v.list != nil || o.list != nil {
		out.list = append(append([]value{}, v.list...), o.list...)
		if len(out.list) > 256 {
			out.list, out.computed = out.list[:256], true
		}
	}
	return out
}

func (v value) add(w access.Word) value {
	for _, f := range v.forms {
		if same(f, w) {
			return v
		}
	}
	if len(v.forms) >= maxForms {
		v.computed = true
		return v
	}
	v.forms = append(v.forms[:len(v.forms):len(v.forms)], w)
	return v
}

// same compares words by their text and classes.
func same(a, b access.Word) bool {
	if len(a.Segs) != len(b.Segs) {
		return false
	}
	for i, s := range a.Segs {
		t := b.Segs[i]
		if s.Class != t.Class || s.Text != t.Text || s.Quoted != t.Quoted {
			return false
		}
	}
	return true
}

// maxWord bounds the text a value may grow to.
const maxWord = 4 << 10

// concat is v followed by o.
func (v value) concat(o value) value {
	if v.judged && len(v.forms) == 0 && !v.computed {
		// What is added to a judged name stays beside or below it, unless it
		// climbs.
		for _, f := range o.forms {
			if strings.Contains(f.String(), "..") {
				return computed
			}
		}
		if o.computed {
			return computed
		}
		return judged
	}
	if o.judged && len(o.forms) == 0 && !o.computed && v.here() {
		return judged
	}
	vs, os := v.words(), o.words()
	if len(vs)*len(os) > maxForms {
		return computed
	}
	var out value
	for _, a := range vs {
		for _, b := range os {
			w := a
			if n := len(a.Segs); n == 0 || len(b.Segs) != 1 || a.Segs[n-1].Class != access.Any || b.Segs[0].Class != access.Any {
				w = a.Concat(b)
			}
			if len(w.Segs) > 64 || len(w.String()) > maxWord {
				return computed
			}
			out = out.add(w)
		}
	}
	// One unknown part says no more than computed.
	if len(out.forms) == 1 && len(out.forms[0].Segs) > 0 && !out.forms[0].Known() {
		if p, _ := out.forms[0].Prefix(); p == "" && !knownText(out.forms[0]) {
			return computed
		}
	}
	return out
}

// here tells whether a value is "./": a name behind it is the file it was, or one
// below the program's directory if it began with a slash.
func (v value) here() bool {
	return len(v.forms) == 1 && !v.computed && !v.judged && v.list == nil && v.forms[0].Known() && v.forms[0].String() == "./"
}

func knownText(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class == access.Known && s.Text != "" {
			return true
		}
	}
	return false
}

// words is the value as words, with an unknown part for what is computed.
func (v value) words() []access.Word {
	out := v.forms
	if v.computed || v.judged || len(out) == 0 {
		out = append(out[:len(out):len(out)], access.Unknowable(access.Any, 0, 0))
	}
	return out
}

// lit is the text of a value that is one known constant.
func (v value) lit() (string, bool) {
	if len(v.forms) != 1 || v.computed || v.judged {
		return "", false
	}
	return v.forms[0].Lit()
}

// open reports the value as the name of a file. lang names the language in
// the reason.
func (v value) open(h Host, kind access.Kind, why, lang string) {
	v.each(0, func(w access.Word) { h.File(w, kind, why) }, func() { h.Unknown("computed name in " + lang + " code") })
}

// each calls named for every constant and unnamed if there is more than those.
func (v value) each(depth int, named func(access.Word), unnamed func()) {
	for _, w := range v.forms {
		named(w)
	}
	if depth < 8 {
		for _, e := range v.list {
			e.each(depth+1, named, unnamed)
		}
	}
	if v.computed || v.zero() || depth >= 8 {
		unnamed()
	}
}

// shell reports the value as text for a shell.
func (v value) shell(h Host, lang string) {
	for _, w := range v.forms {
		h.Shell(w)
	}
	if v.computed || v.zero() || v.judged {
		h.Unknown("computed command in " + lang + " code")
	}
}

// format puts args in the place of the % directives of a format. The directives
// for numbers give a part without slashes.
func format(f access.Word, args []value) value {
	out := constant(access.Word{})
	next := 0
	arg := func() value {
		next++
		if next <= len(args) {
			return args[next-1]
		}
		return computed
	}
	for _, seg := range f.Segs {
		if seg.Class != access.Known {
			out = out.concat(constant(access.Word{Segs: []access.Segment{seg}}))
			continue
		}
		text := seg.Text
		for text != "" {
			j := strings.IndexByte(text, '%')
			if j < 0 || j == len(text)-1 {
				out = out.concat(constant(piece(text, seg)))
				break
			}
			if j > 0 {
				out = out.concat(constant(piece(text[:j], seg)))
			}
			text = text[j+1:]
			k := 0
			if text[0] == '(' {
				k = strings.IndexByte(text, ')') + 1
			}
			for k < len(text) && strings.IndexByte("-+ #0123456789.*$", text[k]) >= 0 {
				k++
			}
			if k >= len(text) {
				return computed
			}
			switch verb := text[k]; verb {
			case '%':
				out = out.concat(constant(piece("%", seg)))
			case 's', 'v', 'q':
				if k > 0 && text[0] != '(' {
					arg()
					out = out.concat(computed)
				} else {
					out = out.concat(arg())
				}
			default:
				arg()
				out = out.concat(constant(access.Unknowable(access.Name, seg.Start, seg.End)))
			}
			text = text[k+1:]
		}
	}
	return out
}

func piece(text string, seg access.Segment) access.Word {
	return access.Word{Segs: []access.Segment{{Text: text, Quoted: true, Start: seg.Start, End: seg.End}}, Start: seg.Start, End: seg.End}
}

package access

import "strings"

// OneOf is a word that stands for any of the list. ok is false where there is no
// better one than a part that may be anything.
func OneOf(list []Word) (w Word, ok bool) {
	if len(list) == 0 {
		return Word{}, false
	}
	w = Number(list[0].Start, list[0].End)
	for _, each := range list {
		if !each.component() {
			return Word{}, false
		}
		w.Segs[0].Number = w.Segs[0].Number && each.digits()
	}
	return w, true
}

// component tells whether a word is a number, a plain name or the like: one field,
// and one component of a path whatever stands round it.
func (w Word) component() bool {
	for _, s := range w.Segs {
		if s.Class == Name {
			continue
		}
		if s.Class != Known {
			return false
		}
		for i := range len(s.Text) {
			if c := s.Text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' {
				return false
			}
		}
	}
	return !w.Empty()
}

// digits tells whether a word is a number, known or not.
func (w Word) digits() bool {
	for _, s := range w.Segs {
		if !s.Number && (s.Class != Known || strings.Trim(s.Text, "0123456789") != "") {
			return false
		}
	}
	return !w.Empty()
}

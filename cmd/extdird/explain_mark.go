package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"extdir/daemon/explain"
)

// marked shows the line with its accesses underlined: what lies outside by carets
// and in colour, what lies inside by dashes. Below, each access's number stands
// under its beginning, so that those that overlap can be told apart. A line wider
// than width (0: any) goes on below.
func (a *app) marked(e explain.Explanation, width int) string {
	mark := make([]byte, len(e.Line))
	numbers := map[int][]string{} // at which byte
	for i, x := range e.Accesses {
		from, to := max(x.Start, 0), min(x.End, len(mark))
		for j := from; j < to; j++ {
			if x.External || x.Kind == "self" {
				mark[j] = '^'
			} else if mark[j] == 0 {
				mark[j] = '-'
			}
		}
		if from < to {
			numbers[from] = append(numbers[from], strconv.Itoa(i+1))
		}
	}
	var b, under, below strings.Builder
	shown := 0 // columns of the row so far
	taken := 0 // columns of below in use
	flush := func(row string) {
		fmt.Fprintf(&b, "  %s\n", row)
		for _, s := range []string{under.String(), below.String()} {
			if s = strings.TrimRight(s, " "); s != "" {
				fmt.Fprintf(&b, "  %s\n", a.paint(yellow, s))
			}
		}
		under.Reset()
		below.Reset()
		shown, taken = 0, 0
	}
	var row strings.Builder
	colour := func(m byte, text string) {
		if m == '^' {
			text = a.paint(yellow, text)
		}
		row.WriteString(text)
	}
	for i := 0; i < len(e.Line); {
		if e.Line[i] == '\n' {
			flush(row.String())
			row.Reset()
			i++
			continue
		}
		// A mark that stands above a rune is one with it.
		n := 0
		for first := true; i+n < len(e.Line) && e.Line[i+n] != '\n'; first = false {
			_, size := utf8.DecodeRuneInString(e.Line[i+n:])
			if !first && cells(printable(e.Line[i+n:i+n+size])) > 0 {
				break
			}
			n += size
		}
		piece := printable(e.Line[i : i+n])
		w := cells(piece)
		if width > 0 && shown > 0 && shown+w > width {
			flush(row.String())
			row.Reset()
		}
		if list := numbers[i]; len(list) > 0 {
			label := strings.Join(list, ",")
			if taken > 0 && taken >= shown {
				label = "," + label // no room of its own
			} else {
				below.WriteString(strings.Repeat(" ", shown-taken))
				taken = shown
			}
			below.WriteString(label)
			taken += len(label)
		}
		m := mark[i]
		colour(m, piece)
		if m == 0 {
			m = ' '
		}
		under.WriteString(strings.Repeat(string(m), w))
		shown += w
		i += n
	}
	if row.Len() > 0 || e.Line == "" {
		flush(row.String())
	}
	return b.String()
}

// columns is how wide the terminal is, 0 where the output is none: a file or a
// pipe gets the line as it is.
func (a *app) columns() int {
	w, _, err := term.GetSize(int(a.out.Fd()))
	if err != nil || w < 20 {
		return 0
	}
	return w
}

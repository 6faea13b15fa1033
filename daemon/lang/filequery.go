package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readFileQuery reads SQL whose tables are files (octosql, csvq, q, trdsql,
// fselect): what stands behind FROM, JOIN, INTO and UPDATE, bare or in any of the
// three quotes, up to a blank. q takes more than one file joined by "+", octosql
// and dsq options behind "?", trdsql and csvq a member behind "::".
func readFileQuery(w access.Word, h Host) {
	p := newSource(w)
	table := false // a name follows
	kind, before, said := access.Read, "", false
	for i := 0; i < len(p.s); {
		a := i
		prior := before
		switch c := p.s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '(' || c == ')':
			table = table && c != ')' && c != ';'
			i++
			continue
		case c == ',':
			i++
			continue
		case c == '\'' || c == '"' || c == '`':
			e := strings.IndexByte(p.s[i+1:], c)
			if e < 0 {
				e = len(p.s) - i - 1
			}
			if table {
				h.File(p.text(a+1, a+1+e), kind, "table that is a file in SQL")
			}
			before = "'"
			i = min(a+e+2, len(p.s))
		default:
			for i < len(p.s) && !strings.ContainsRune(" \t\n\r;(),", rune(p.s[i])) {
				i++
			}
			word := strings.ToUpper(p.s[a:i])
			before = word
			switch {
			case word == "FROM", word == "JOIN", word == "INTO", word == "UPDATE", word == "TABLE":
				table, kind = true, access.Read
				if word == "INTO" || word == "UPDATE" {
					kind = access.Write
				}
				continue
			case !table:
				if last := word[len(word)-1:]; valuePlaces[last] {
					before = last
				}
				if class, ok := p.hole(a); ok && class == access.Any && !valuePlaces[prior] && !said {
					h.Unknown("SQL that is not in the line")
					said = true
				}
				continue
			case word == "SELECT" || word == "LATERAL":
				table = false
				continue
			}
			p.tables(a, i, kind, h)
		}
		// A comma goes on with the next table.
		next := strings.TrimLeft(p.s[i:], " \t\n\r")
		table = table && strings.HasPrefix(next, ",")
	}
}

// tables reports the files of a bare name.
func (p *source) tables(a, b int, kind access.Kind, h Host) {
	name := p.s[a:b]
	if i := strings.IndexAny(name, "?"); i > 0 {
		b = a + i
	}
	if i := strings.Index(p.s[a:b], "::"); i > 0 {
		b = a + i
	}
	for a < b {
		e := strings.IndexByte(p.s[a:b], '+')
		if e < 0 {
			e = b - a
		}
		if e > 0 {
			h.File(p.text(a, a+e), kind, "table that is a file in SQL")
		}
		a += e + 1
	}
}

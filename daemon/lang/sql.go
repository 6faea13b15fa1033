package lang

import (
	"strings"

	"extdir/daemon/access"
)

// The SQL readers know the statements and functions that open files on the
// machine of the server, which is often this one, and the commands of the
// shells around them: dot commands (sqlite3, duckdb), backslash commands (psql),
// words (mysql).
//
// An unknown part where a value or a name stands is a value or a name.

func readSQL(w access.Word, h Host)    { newSQL(w, h, "sql").script() }
func readSqlite(w access.Word, h Host) { newSQL(w, h, "sqlite").script() }
func readDuckdb(w access.Word, h Host) { newSQL(w, h, "duckdb").script() }
func readPsql(w access.Word, h Host)   { newSQL(w, h, "psql").script() }
func readMysql(w access.Word, h Host)  { newSQL(w, h, "mysql").script() }

type sql struct {
	*source
	h       Host
	dialect string
	i       int
	toks    []sqlToken // of the statement so far
}

// sqlToken: kind 'i' word in capitals, 's' string, 'o' sign.
type sqlToken struct {
	kind byte
	text string
	val  access.Word
	code bool // an unknown part outside strings
}

func newSQL(w access.Word, h Host, dialect string) *sql {
	return &sql{source: newSource(w), h: h, dialect: dialect}
}

func (p *sql) script() {
	lineStart := true
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == '\n':
			lineStart = true
			p.i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
			continue
		case c == '.' && lineStart && len(p.toks) == 0 && (p.dialect == "sqlite" || p.dialect == "duckdb"):
			p.dot()
		case c == '\\' && (p.dialect == "psql" || p.dialect == "mysql"):
			p.backslash()
		case c == '#' && (p.dialect == "mysql" || lineStart && len(p.toks) == 0 && p.dialect == "sqlite"), strings.HasPrefix(p.s[p.i:], "--"):
			p.i = p.lineEnd()
		case strings.HasPrefix(p.s[p.i:], "/*") && !(p.dialect == "mysql" && strings.HasPrefix(p.s[p.i:], "/*!")):
			if e := strings.Index(p.s[p.i+2:], "*/"); e >= 0 {
				p.i += e + 4
			} else {
				p.i = len(p.s)
			}
		case c == ';':
			p.i++
			p.statement()
		case p.dialect == "mysql" && len(p.toks) == 0 && wordByte(c) && p.client():
		default:
			p.token(c)
		}
		lineStart = false
	}
	p.statement()
}

func (p *sql) lineEnd() int {
	if e := strings.IndexByte(p.s[p.i:], '\n'); e >= 0 {
		return p.i + e
	}
	return len(p.s)
}

func (p *sql) token(c byte) {
	a := p.i
	switch {
	case c == '\'' || c == '"' && p.dialect == "mysql":
		p.add('s', "", p.quoted(c))
	case c == '"' || c == '`':
		p.add('i', `"`, p.quoted(c))
	case c == '$' && p.dialect != "mysql" && p.dollar():
	case c == 0:
		p.i++
		class, ok := p.hole(a)
		p.toks = append(p.toks, sqlToken{kind: 'o', text: "…", val: p.unknown(class, a, p.i), code: ok && class == access.Any})
	case wordByte(c):
		for p.i < len(p.s) && wordByte(p.s[p.i]) {
			p.i++
		}
		word := strings.ToUpper(p.s[a:p.i])
		if word == "E" && p.i < len(p.s) && p.s[p.i] == '\'' || word == "N" && p.i < len(p.s) && p.s[p.i] == '\'' {
			return
		}
		p.add('i', word, access.Word{})
	case strings.HasPrefix(p.s[p.i:], "||"):
		p.i += 2
		p.add('o', "||", access.Word{})
	default:
		p.i++
		p.add('o', p.s[a:p.i], access.Word{})
	}
}

func (p *sql) add(kind byte, text string, w access.Word) {
	p.toks = append(p.toks, sqlToken{kind: kind, text: text, val: w})
}

// quoted reads a string; its quote is doubled inside, or escaped (mysql, E”).
func (p *sql) quoted(q byte) access.Word {
	w := builder{p: p.source}
	a := p.i
	escapes := p.dialect == "mysql" || a > 0 && p.s[a-1]|0x20 == 'e'
	for p.i++; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == '\\' && escapes && p.i+1 < len(p.s):
			p.i = unescape(&w, p.s, p.i, "n\nt\tr\rb\b0\x00") - 1
			continue
		case c == q && p.i+1 < len(p.s) && p.s[p.i+1] == q:
			p.i++
		case c == q:
			p.i++
			w.span(a, p.i)
			return w.word()
		}
		w.copy(p.i)
	}
	w.span(a, p.i)
	return w.word()
}

// dollar reads $tag$ … $tag$.
func (p *sql) dollar() bool {
	j := p.i + 1
	for j < len(p.s) && wordByte(p.s[j]) {
		j++
	}
	if j >= len(p.s) || p.s[j] != '$' {
		return false
	}
	tag := p.s[p.i : j+1]
	e := strings.Index(p.s[j+1:], tag)
	if e < 0 {
		return false
	}
	a := j + 1
	p.i = a + e + len(tag)
	p.add('s', "$", p.text(a, a+e))
	return true
}

// sqlFiles are the functions whose first argument is a file: r read, g a pattern
// of files, w write, x a library; 2 the second argument is written.
var sqlFiles = map[string]byte{
	"READFILE": 'r', "WRITEFILE": 'w', "LOAD_EXTENSION": 'x', "FSDIR": 'r', "LSDIR": 'r', "LOAD_FILE": 'r',
	"PG_READ_FILE": 'r', "PG_READ_BINARY_FILE": 'r', "PG_LS_DIR": 'r', "PG_STAT_FILE": 'r', "LO_IMPORT": 'r', "LO_EXPORT": '2', "PG_FILE_WRITE": 'w',
	"READ_CSV": 'g', "READ_CSV_AUTO": 'g', "READ_PARQUET": 'g', "PARQUET_SCAN": 'g', "READ_JSON": 'g', "READ_JSON_AUTO": 'g',
	"READ_NDJSON": 'g', "READ_JSON_OBJECTS": 'g', "READ_TEXT": 'g', "READ_BLOB": 'g', "GLOB": 'g', "SNIFF_CSV": 'g', "PARQUET_METADATA": 'g',
	"PARQUET_SCHEMA": 'g', "SQLITE_SCAN": 'r', "ST_READ": 'r', "READ_XLSX": 'g', "DELTA_SCAN": 'r', "ICEBERG_SCAN": 'r',
}

// valuePlaces are what stands before a value or a name.
var valuePlaces = words(`= < > ( , + - * / % || FROM JOIN INTO UPDATE TABLE LIKE ILIKE IN IS NOT AND OR LIMIT OFFSET VALUES BETWEEN SELECT BY SET . WHERE AS ON ~ USE DATABASE WHEN THEN ELSE : " [`)

func (p *sql) statement() {
	toks := p.toks
	p.toks = nil
	at := func(i int) sqlToken {
		if i >= 0 && i < len(toks) {
			return toks[i]
		}
		return sqlToken{}
	}
	is := func(i int, word string) bool { t := at(i); return t.kind == 'i' && t.text == word }
	verb := at(0).text
	for i, t := range toks {
		if t.code && !valuePlaces[at(i-1).text] && at(i-1).kind != 's' {
			p.h.Unknown("SQL that is not in the line")
		}
		if t.kind == 's' {
			switch before := at(i - 1); {
			case is(i-1, "INFILE"):
				p.file(t.val, access.Read, "LOAD DATA")
			case is(i-1, "OUTFILE"), is(i-1, "DUMPFILE"):
				p.file(t.val, access.Write, "INTO "+before.text)
			case is(i-1, "PROGRAM") && (verb == "COPY" || p.dialect == "psql"):
				p.h.Shell(t.val)
			case (verb == "COPY" || verb == "\\COPY") && (is(i-1, "FROM") || is(i-1, "TO")):
				kind := access.Read
				if before.text == "TO" {
					kind = access.Write
				}
				p.file(t.val, kind, "COPY")
			case verb == "ATTACH" && (is(i-1, "ATTACH") || is(i-1, "DATABASE") || is(i-1, "EXISTS")):
				p.file(uri(t.val), access.Read, "ATTACH")
				p.file(uri(t.val), access.Write, "ATTACH")
			case verb == "VACUUM" && is(i-1, "INTO"):
				p.file(t.val, access.Write, "VACUUM INTO")
			case verb == "EXPORT" && is(i-1, "DATABASE"):
				p.file(t.val, access.Write, "EXPORT DATABASE")
			case verb == "IMPORT" && is(i-1, "DATABASE"):
				p.file(t.val, access.Read, "IMPORT DATABASE")
			case (verb == "LOAD" || verb == "INSTALL") && i <= 2 && !is(i-1, "FROM") && strings.Contains(t.val.String(), "/"):
				p.file(t.val, access.Execute, verb)
			case is(i-1, "LOCATION"), is(i-1, "DIRECTORY"), is(i-2, "DIRECTORY"), is(i-2, "TEMP_STORE_DIRECTORY"), is(i-2, "DATA_STORE_DIRECTORY"):
				p.file(t.val, access.Write, "directory of SQL statement")
			case (is(i-1, "FILENAME") || is(i-2, "FILENAME") && before.text == "=") && (verb == "CREATE" || verb == "ALTER"):
				p.file(t.val, access.Read, "filename of SQL statement")
			case p.dialect == "duckdb" && (is(i-1, "FROM") || is(i-1, "JOIN") || is(i-1, "DESCRIBE") || is(i-1, "SUMMARIZE")):
				p.file(bare(t.val), access.Read, "table that is a file in SQL")
			}
		}
		if t.kind == 'i' && at(i+1).text == "(" && at(i+1).kind == 'o' {
			if how := sqlFiles[t.text]; how != 0 && (how != 'g' || p.dialect == "duckdb" || p.dialect == "sql" && t.text != "GLOB") {
				p.function(t.text, how, toks[i+2:])
			} else if t.text == "EDIT" && p.dialect == "sqlite" && at(i+3).text == "," && at(i+4).kind == 's' {
				p.h.Shell(at(i + 4).val)
			}
		}
	}
}

// function reads the argument that is a file.
func (p *sql) function(name string, how byte, toks []sqlToken) {
	i := 0
	if how == '2' {
		for i < len(toks) && toks[i].text != "," && i < 64 {
			i++
		}
		i++
	}
	for {
		v := value{}
		for ; i < len(toks); i++ {
			t := toks[i]
			switch {
			case t.kind == 's':
				if v.zero() {
					v = constant(t.val)
				} else {
					v = v.concat(constant(t.val))
				}
			case t.text == "||" || t.text == "[" && t.kind == 'o':
			case t.kind == 'o' && (t.text == "," || t.text == ")" || t.text == "]"):
				goto end
			default:
				if v.zero() {
					v = computed
				} else {
					v = v.concat(computed)
				}
				if t.text == "(" { // a call inside: what it gives is computed
					goto end
				}
			}
		}
	end:
		if !v.zero() {
			kind := access.Read
			switch how {
			case 'w', '2':
				kind = access.Write
			case 'x':
				kind = access.Execute
			}
			for _, w := range v.forms {
				if how == 'g' {
					w = bare(w)
				}
				p.file(w, kind, strings.ToLower(name)+" in SQL")
			}
			if v.computed {
				p.h.Unknown("computed name in SQL")
			}
		}
		// a list of files goes on
		if how != 'g' || i+1 >= len(toks) || toks[i].text != "," || toks[i+1].kind != 's' {
			return
		}
		i++
	}
}

// uri takes the scheme off a database name; sqlite's own memory has no file.
func uri(w access.Word) access.Word {
	if w.HasPrefix("file:") {
		w = w.From(len("file:"))
		if w.HasPrefix("///") {
			w = w.From(2)
		}
		w, _, _ = w.Cut('?')
	}
	return w
}

func (p *sql) file(w access.Word, kind access.Kind, why string) {
	s, known := w.Lit()
	if known && (s == "" || s == ":memory:" || s == "stdout" || s == "off" || strings.Contains(s, "://")) {
		return
	}
	p.h.File(w, kind, why)
}

// included tells of a script that is run here.
func (p *sql) included(w access.Word) {
	if h, ok := p.h.(Importer); ok {
		h.Include(w)
	}
}

// fields splits the rest of the line into words, with ' and " quoting; a backtick
// text is a command (psql). It stops at the line's end, and for psql at the next
// backslash.
func (p *sql) fields() []access.Word {
	var out []access.Word
	end := p.lineEnd()
	for p.i < end {
		c := p.s[p.i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
			continue
		case c == '\\' && p.dialect == "psql":
			return out
		}
		a := p.i
		w := builder{p: p.source}
		for p.i < end && p.s[p.i] != ' ' && p.s[p.i] != '\t' && p.s[p.i] != '\r' {
			switch c := p.s[p.i]; {
			case c == '\'' || c == '"':
				q := p.quoted(c)
				end = max(end, p.i)
				w.append(q)
				continue
			case c == '`' && p.dialect == "psql":
				b := strings.IndexByte(p.s[p.i+1:end], '`')
				if b < 0 {
					b = end - p.i - 1
				}
				p.h.Shell(p.text(p.i+1, p.i+1+b))
				p.i = min(p.i+b+2, end)
				w.hole(access.Any)
				continue
			}
			w.copy(p.i)
			p.i++
		}
		w.span(a, p.i)
		out = append(out, w.word())
	}
	return out
}

// rest is the rest of the line as one text.
func (p *sql) rest() access.Word {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
	a := p.i
	p.i = p.lineEnd()
	return p.text(a, p.i)
}

// output is a target that may be a command behind a bar.
func (p *sql) output(w access.Word, kind access.Kind, why string) {
	if w.HasPrefix("|") {
		p.h.Shell(w.From(1))
		return
	}
	if w.HasPrefix("~") {
		w = bare(w)
	}
	p.file(w, kind, why)
}

// dotCommands of sqlite3 and duckdb: how their file is opened. They may be
// abbreviated. s: the rest is for a shell; 1 the first operand, L the last, 2 the
// last but one.
var dotCommands = []struct {
	name string
	how  string
}{
	{"read", "r1"},
	{"open", "bL"},
	{"output", "w1"},
	{"once", "wL"},
	{"import", "r2"},
	{"backup", "wL"},
	{"save", "wL"},
	{"restore", "rL"},
	{"clone", "w1"},
	{"log", "w1"},
	{"trace", "wL"},
	{"load", "x1"},
	{"cd", "r1"},
	{"system", "s"},
	{"shell", "s"},
	{"archive", "b*"},
	{"ar", "b*"},
	{"excel", ""},
	{"largest", ""},
	{"sh", "s"},
}

func (p *sql) dot() {
	p.i++
	a := p.i
	for p.i < len(p.s) && wordByte(p.s[p.i]) {
		p.i++
	}
	name := p.s[a:p.i]
	if _, hole := p.hole(p.i); hole {
		p.h.Unknown("dot command that is not in the line")
	}
	how := ""
	full := ""
	for _, d := range dotCommands {
		if len(name) >= 2 && strings.HasPrefix(d.name, name) {
			how, full = d.how, d.name
			break
		}
	}
	if how == "s" {
		p.h.Shell(p.rest())
		return
	}
	var words []access.Word
	for _, w := range p.fields() {
		if w.HasPrefix("-") && !w.HasPrefix("-/") {
			continue
		}
		words = append(words, w)
	}
	if how == "" || len(words) == 0 {
		return
	}
	why := "." + full + " in SQL script"
	use := words[:1]
	switch how[1] {
	case 'L':
		use = words[len(words)-1:]
	case '2':
		if n := len(words); n > 1 {
			use = words[n-2 : n-1]
		}
	case '*':
		use = words
	}
	for _, w := range use {
		switch how[0] {
		case 'r':
			p.output(w, access.Read, why)
			if full == "read" {
				p.included(w)
			}
		case 'w':
			p.output(w, access.Write, why)
		case 'x':
			p.output(w, access.Execute, why)
		case 'b':
			p.output(uri(w), access.Read, why)
			p.output(uri(w), access.Write, why)
		}
	}
}

// backslash reads a command of psql or mysql.
func (p *sql) backslash() {
	p.i++
	a := p.i
	switch {
	case p.i < len(p.s) && (p.s[p.i] == '!' || p.s[p.i] == '.' || p.s[p.i] == '?'):
		p.i++
	default:
		for p.i < len(p.s) && (wordByte(p.s[p.i]) || p.s[p.i] == '+') {
			p.i++
		}
	}
	name := p.s[a:p.i]
	if p.dialect == "mysql" {
		p.mysqlCommand(map[string]string{"!": "system", ".": "source", "T": "tee", "P": "pager"}[name])
		return
	}
	why := `\` + name + " in SQL script"
	switch name {
	case "!":
		p.h.Shell(p.rest())
		return
	case "copy":
		end := p.lineEnd()
		p.toks = []sqlToken{{kind: 'i', text: "\\COPY"}}
		depth := 0 // of the query that may stand in the place of a table
		for p.i < end {
			switch p.s[p.i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if c := p.s[p.i]; c == ' ' || c == '\t' || c == '\r' {
				p.i++
			} else if n := len(p.toks); depth == 0 && n > 1 && c != '\'' && c != '(' && (p.toks[n-1].text == "FROM" || p.toks[n-1].text == "TO") {
				a := p.i
				for p.i < end && p.s[p.i] != ' ' {
					p.i++
				}
				word := p.s[a:p.i]
				switch strings.ToLower(word) {
				case "stdin", "stdout", "pstdin", "pstdout":
				case "program":
					p.add('i', "PROGRAM", access.Word{})
				default:
					p.add('s', "", p.text(a, p.i))
				}
			} else {
				p.token(c)
			}
		}
		p.statement()
		return
	}
	if name == "o" || name == "out" || name == "g" || name == "gx" || name == "w" || name == "write" {
		at := p.i
		if r := p.rest(); r.HasPrefix("|") {
			p.h.Shell(r.From(1))
			return
		}
		p.i = at
	}
	words := p.fields()
	if len(words) == 0 {
		return
	}
	switch name {
	case "i", "ir", "include", "include_relative", "cd":
		p.output(words[0], access.Read, why)
		if name != "cd" {
			p.included(words[0])
		}
	case "o", "out", "g", "gx", "w", "write", "s":
		p.output(words[0], access.Write, why)
	case "e", "edit":
		p.output(words[0], access.Write, why)
	case "lo_import":
		p.output(words[0], access.Read, why)
	case "lo_export":
		p.output(words[len(words)-1], access.Write, why)
	}
}

// client reads a command of the mysql client, if one stands here.
func (p *sql) client() bool {
	a := p.i
	for a < len(p.s) && wordByte(p.s[a]) {
		a++
	}
	word := strings.ToLower(p.s[p.i:a])
	switch word {
	case "source", "system", "tee", "pager":
	default:
		return false
	}
	p.i = a
	p.mysqlCommand(word)
	return true
}

func (p *sql) mysqlCommand(name string) {
	if name == "" {
		return
	}
	w := p.rest()
	if w.Empty() {
		return
	}
	if name != "system" && name != "pager" {
		w, _, _ = w.Cut(';')
		for i := len(w.Segs) - 1; i >= 0 && w.Segs[i].Class == access.Known; i-- {
			w.Segs[i].Text = strings.TrimRight(w.Segs[i].Text, " \t")
			break
		}
	}
	switch name {
	case "system", "pager":
		p.h.Shell(w)
	case "source":
		p.file(w, access.Read, "source in SQL script")
		p.included(w)
	case "tee":
		p.file(w, access.Write, "tee in SQL script")
	}
}

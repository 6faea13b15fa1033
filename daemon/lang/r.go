package lang

import (
	"strings"

	"extdir/daemon/access"
)

// r is the grammar of R.
var r = &grammar{
	name:      "R",
	comment:   []string{"#"},
	quotes:    "'\"",
	style:     func(byte) style { return style{escapes: pythonEscapes} },
	special:   rToken,
	wordExtra: '.',
	concat:    "\x00", // R joins text by calls alone
	member:    "$",
	skip:      words(`if else repeat while function_ next break in`),
	text: words(`print cat message warning stop paste_ grepl grep sub gsub regmatches regexpr gregexpr strsplit startsWith endsWith nchar substr toupper
		tolower library require_ suppressPackageStartupMessages install.packages identical stopifnot sprintf_ format inherits is.null exists_ trimws
		suppressWarnings str summary head GET POST`),
	calls: table(`
		r: read.csv read.csv2 read.table read.delim readLines scan readRDS load readr.read_csv read_csv read_tsv read_delim read_excel read_parquet fread data.table.fread read.dcf
		r: file.exists file.info file.size file.mtime file.access dir.exists setwd readBin readChar read.fwf jsonlite.fromJSON fromJSON read_json read_yaml yaml.load_file read_xml readtext file.show Sys.readlink unzip untar
		m: file gzfile bzfile xzfile
		h: pipe system shell
		a: system2
		l>o: list.files dir list.dirs
		g>o: Sys.glob
		w*: unlink file.remove file.create dir.create sink pdf png jpeg svg tiff Sys.chmod
		tw: write.csv write.table writeLines saveRDS write_csv write_tsv fwrite write.dcf write_json write_parquet write_rds write_lines write writeBin writeChar dput dump write_xlsx
		w: ggsave save.image
		bw: file.rename
		rw: file.copy file.symlink file.link file.append
		x: source sys.source dyn.load
		>j: file.path
		t>p: normalizePath as.character c_
		t>d: dirname
		t>n: basename nchar length Sys.getpid as.integer
		>.: getwd
		>/tmp: tempdir tempfile
	`),
	consts:  map[string]string{"NULL": "?", "TRUE": "?", "FALSE": "?", "NA": "?"},
	modules: map[string]bool{},
	statement: func(p *script, t token) bool {
		if t.kind == 'i' && t.text == "for" && p.at(1).text == "(" && p.at(2).kind == 'i' && p.at(3).text == "in" {
			name := p.at(2).text
			p.i += 4
			p.assign(name, term{v: p.expr().v.element()})
			p.accept(")")
			return true
		}
		return false
	},
	primary: func(p *script, t token) (term, bool) {
		if t.kind == 'i' && t.text == "function" {
			p.i++
			p.define("")
			params := p.defs[""]
			p.inDef = ""
			v := p.expr()
			return term{v: v.v, fn: true, pars: params}, true
		}
		return term{}, false
	},
	call: rCall,
}

func rToken(l *lexer, c byte) bool {
	a := l.i
	switch {
	case (c == 'r' || c == 'R') && a+2 < len(l.s) && (l.s[a+1] == '"' || l.s[a+1] == '\'') && (l.s[a+2] == '(' || l.s[a+2] == '[' || l.s[a+2] == '{'):
		q := l.s[a+1]
		l.i = a + 3
		l.str(a, string(rune(closers[l.s[a+2]]))+string(rune(q)), style{plain: true})
		return true
	case c == '.' && a+1 < len(l.s) && wordByte(l.s[a+1]):
		j := a + 1
		for j < len(l.s) && (wordByte(l.s[j]) || l.s[j] == '.') {
			j++
		}
		l.i = j
		l.emit('i', a, l.s[a:j])
		return true
	case c == '`':
		if e := strings.IndexByte(l.s[a+1:], '`'); e >= 0 && e < 200 {
			l.i = a + e + 2
			l.emit('i', a, "`"+l.s[a+1:a+1+e])
			return true
		}
	}
	return false
}

func rCall(p *script, v term, args []arg) (term, bool) {
	pos := func(i int) value {
		if i < len(args) {
			return args[i].t.v
		}
		return computed
	}
	var plain []arg
	for _, a := range args {
		if a.key == "" {
			plain = append(plain, a)
		}
	}
	last := v.path[strings.LastIndexByte(v.path, '.')+1:]
	switch v.path {
	case "paste0", "paste":
		sep := constant(access.Word{})
		if v.path == "paste" {
			sep = constant(access.Text(" "))
		}
		list := value{list: []value{}}
		for _, a := range args {
			if a.key == "sep" {
				sep = a.t.v
			}
			if a.key == "" {
				list.list = append(list.list, a.t.v)
			}
		}
		return term{v: joinText(sep, list)}, true
	case "c", "list":
		out := value{list: []value{}}
		for _, a := range args {
			out.list = append(out.list, a.t.v)
		}
		return term{v: out}, true
	case "sprintf":
		if f := pos(0); len(f.forms) == 1 && len(args) > 0 {
			var rest []value
			for _, a := range args[1:] {
				rest = append(rest, a.t.v)
			}
			return term{v: format(f.forms[0], rest)}, true
		}
		return term{v: computed}, true
	case "commandArgs":
		return term{v: judged}, true
	case "path.expand":
		return term{v: tilde(pos(0))}, true
	case "Sys.getenv":
		if s, _ := pos(0).lit(); s == "HOME" {
			return term{v: constant(home(0, 0))}, true
		}
		return term{v: computed}, true
	case "parse":
		for _, a := range args {
			if a.key == "text" {
				return term{v: a.t.v, path: "parse()"}, true
			}
		}
		return p.act("r", v, "parse", plain), true
	case "eval", "evalq":
		if len(args) > 0 && args[0].t.path == "parse()" {
			p.run(pos(0))
		}
		return term{v: computed}, true
	case "do.call", "match.fun", "get":
		if s, ok := pos(0).lit(); ok {
			if v.path != "do.call" {
				return term{v: computed, path: s}, true
			}
			var more []arg
			if len(args) > 1 {
				for _, e := range pos(1).list {
					more = append(more, arg{"", term{v: e}})
				}
			}
			return p.called(term{path: s}, more), true
		}
		return term{v: computed}, true
	}
	// file= and con= name what is opened. R expands a leading ~ in all of them.
	action, ok := p.action(v.path)
	if !ok {
		if v.path == "cat" || v.path == "save" {
			for _, a := range args {
				if a.key == "file" {
					p.open(tilde(a.t.v), access.Write, v.path+" in R code")
				}
			}
			return term{v: computed}, true
		}
		return term{}, false
	}
	var kept []arg
	for i := range args {
		args[i].t.v = tilde(args[i].t.v)
		if k := args[i].key; (k == "con" || k == "file" || k == "path") && strings.HasPrefix(action, "tw") {
			p.open(args[i].t.v, access.Write, v.path+" in R code")
			continue
		} else if k == "con" || k == "description" || k == "input" || k == "filename" {
			args[i].key = ""
		}
		kept = append(kept, args[i])
	}
	args = kept
	// A connection or a computed object as the file was opened where it was made.
	for i, a := range args {
		if i < len(action) && a.key == "" && len(a.t.v.forms) == 0 && a.t.path == "" && a.t.name == "" && a.t.v.list == nil && a.t.v.computed {
			args[i].t.v = judged
		}
	}
	return p.act(action, v, last, args), true
}

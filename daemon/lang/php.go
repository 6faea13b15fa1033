package lang

import (
	"strings"

	"extdir/daemon/access"
)

// php is the grammar of PHP as php -r takes it; a text with <?php in it is read
// from there.
var php = &grammar{
	name:    "php",
	comment: []string{"//", "#", "?>"},
	block:   [][2]string{{"/*", "*/"}},
	quotes:  "'\"`",
	style: func(q byte) style {
		switch q {
		case '\'':
			return style{}
		case '`':
			return style{escapes: perlEscapes, insert: 'p', shell: true}
		}
		return style{escapes: perlEscapes, insert: 'p'}
	},
	special:    phpToken,
	semicolons: true,
	concat:     ".",
	member:     "->",
	skip: words(`and or xor if else elseif while do return echo_ public private protected static final abstract try finally throw switch case default global
		const endif endwhile endforeach endfor break continue declare yield catch class interface trait extends implements use namespace`),
	beforeOperand: words(`return new clone and or not in case throw yield await`),
	text: words(`echo print printf var_dump print_r var_export die exit preg_match preg_match_all preg_replace preg_split preg_quote str_replace
		str_contains str_starts_with str_ends_with strpos stripos strrpos strstr substr explode trim rtrim ltrim strlen strcmp in_array
		array_key_exists define header http_build_query parse_url urlencode md5 sha1 hash json_encode json_decode error_log trigger_error
		Exception RuntimeException InvalidArgumentException get post put delete route redirect Route.get Route.post assertEquals assertSame
		fnmatch number_format date strtotime defined class_exists isset empty fwrite fputs fprintf htmlspecialchars sprintf_ version_compare ini_set`),
	calls: table(`
		m: fopen SplFileObject gzopen bzopen popen_ dba_open
		r: file_get_contents readfile file highlight_file show_source php_strip_whitespace parse_ini_file fileperms filesize filemtime filectime fileatime fileowner
		r: file_exists is_file is_dir is_link is_readable is_writable is_writeable is_executable stat lstat readlink linkinfo filetype chdir chroot simplexml_load_file
		r: hash_file md5_file sha1_file exif_read_data getimagesize imagecreatefrompng imagecreatefromjpeg imagecreatefromgif readgzfile disk_free_space finfo_file mime_content_type SplFileInfo .load .loadFile ZipArchive.open SQLite3 imagecreatefromwebp
		l: scandir opendir dir
		l>o: DirectoryIterator RecursiveDirectoryIterator FilesystemIterator
		g>o: glob GlobIterator
		wt: file_put_contents
		w: unlink mkdir rmdir touch chmod chown chgrp lchown move_uploaded_file_ .save_
		w: tempnam
		bw: rename
		tw: move_uploaded_file imagepng imagejpeg
		rw: copy symlink link
		h: system exec shell_exec passthru popen proc_open
		a: pcntl_exec
		c: eval assert create_function
		x: dl
		t>p: strval realpath
		t>d: dirname
		t>n: basename time getmypid intval count
		>.: getcwd
		>/tmp: sys_get_temp_dir
	`),
	consts: map[string]string{
		"$argv": "@", "__DIR__": "DIR", "__FILE__": "FILE", "DIRECTORY_SEPARATOR": "/", "PHP_EOL": "\n", "PHP_BINARY": "php", "$_SERVER.HOME": "~", "$_SERVER.argv": "@",
		"$_ENV.HOME": "~", "STDIN": "?", "STDOUT": "?", "STDERR": "?", "null": "?", "true": "?", "false": "?",
	},
	modules:   map[string]bool{},
	statement: phpStatement,
	primary:   phpPrimary,
	call:      phpCall,
}

func phpToken(l *lexer, c byte) bool {
	a := l.i
	if len(l.toks) == 0 && a == 0 || strings.HasPrefix(l.s[a:], "<?") {
		// What stands before the opening tag is no code.
		if e := strings.Index(l.s[a:], "<?php"); e >= 0 && l.depth == 0 {
			l.i = a + e + 5
			return true
		}
		if strings.HasPrefix(l.s[a:], "<?=") {
			l.i += 3
			return true
		}
	}
	switch {
	case c == '$' && a+1 < len(l.s) && (wordByte(l.s[a+1]) || l.s[a+1] == '{'):
		j := a + 1
		if l.s[j] == '{' {
			e := j + 1
			for e < len(l.s) && wordByte(l.s[e]) {
				e++
			}
			if e >= len(l.s) || l.s[e] != '}' || e == j+1 {
				return false
			}
			l.i = e + 1
			l.emit('i', a, "$"+l.s[j+1:e])
			return true
		}
		for j < len(l.s) && wordByte(l.s[j]) {
			j++
		}
		l.i = j
		l.emit('i', a, l.s[a:j])
		return true
	case c == '\\' && a+1 < len(l.s) && wordByte(l.s[a+1]):
		l.i++ // a name of the global namespace
		return true
	case c == '<' && strings.HasPrefix(l.s[a:], "<<<"):
		j := a + 3
		for j < len(l.s) && l.s[j] == ' ' {
			j++
		}
		if l.heredoc(j) {
			l.heres[len(l.heres)-1].indent = true
			return true
		}
	}
	return false
}

func phpStatement(p *script, t token) bool {
	if t.kind != 'i' {
		return false
	}
	switch t.text {
	case "foreach":
		p.i++
		p.accept("(")
		v := p.expr()
		if !p.accept("as") {
			return true
		}
		var names []string
		for n := 0; n < 16 && !p.op(")") && p.peek().kind != 'e'; n++ {
			if m := p.peek(); m.kind == 'i' {
				names = append(names, m.text)
			}
			p.i++
		}
		if len(names) > 1 {
			names = names[len(names)-1:]
		}
		p.bind(names, v.v)
		return true
	case "function", "fn":
		p.i++
		p.accept("&")
		p.define(p.peek().text)
		return true
	case "return":
		return rubyStatement(p, t)
	case "include", "include_once", "require", "require_once":
		p.i++
		p.open(p.expr().v, access.Execute, t.text+" in php code")
		return true
	case "echo", "print":
		p.i++
		p.expr()
		return true
	case "for":
		p.i++
		return true
	}
	return false
}

func phpPrimary(p *script, t token) (term, bool) {
	if t.kind != 'i' {
		return term{}, false
	}
	switch t.text {
	case "include", "include_once", "require", "require_once":
		p.i++
		p.open(p.expr().v, access.Execute, t.text+" in php code")
		return term{v: computed}, true
	case "function", "fn":
		p.i++
		p.accept("&")
		p.define("")
		return term{v: computed}, true
	case "new", "print", "clone":
		p.i++
		return p.operand(), true
	case "array", "list":
		if p.at(1).text == "(" {
			p.i += 2
			return p.group("[", p.bracket(")")), true
		}
	}
	return term{}, false
}

func phpCall(p *script, v term, args []arg) (term, bool) {
	pos := func(i int) value {
		if i < len(args) {
			return args[i].t.v
		}
		return computed
	}
	switch v.path {
	case "getenv":
		if s, _ := pos(0).lit(); s == "HOME" {
			return term{v: constant(home(0, 0))}, true
		}
		return term{v: computed}, true
	case "implode", "join":
		if len(args) == 2 {
			return term{v: joinText(pos(0), pos(1))}, true
		}
	case "chr":
		return term{v: character(pos(0))}, true
	case "sprintf":
		if f := pos(0); len(f.forms) == 1 && len(args) > 0 {
			var rest []value
			for _, a := range args[1:] {
				rest = append(rest, a.t.v)
			}
			return term{v: format(f.forms[0], rest)}, true
		}
		return term{v: computed}, true
	case "file_get_contents", "file_put_contents", "fopen", "file", "readfile", "copy":
		// Streams: php://filter/resource=FILE opens one, others don't.
		if s, ok := pos(0).lit(); ok && strings.Contains(s, "://") {
			if i := strings.Index(s, "resource="); i >= 0 {
				p.open(constant(access.Text(s[i+len("resource="):])), access.Read, v.path+" in php code")
			} else if rest, ok := strings.CutPrefix(s, "file://"); ok {
				p.open(constant(access.Text(rest)), access.Read, v.path+" in php code")
			} else if i := strings.Index(s, "://"); s[:i] == "phar" || s[:i] == "zip" || s[:i] == "compress.zlib" || s[:i] == "glob" {
				p.open(constant(access.Text(s[i+3:])), access.Read, v.path+" in php code")
			}
			return term{v: computed}, true
		}
	case "call_user_func", "call_user_func_array", "array_map", "array_walk", "register_shutdown_function":
		if s, ok := pos(0).lit(); ok && len(args) > 0 {
			return p.called(term{path: s}, args[1:]), true
		}
		if len(args) > 0 && len(pos(0).forms) == 0 && args[0].t.name != "" {
			p.h.Unknown("computed name in php code")
		}
		return term{v: computed}, true
	case "PDO", "SQLite3":
		for _, w := range pos(0).forms {
			if w.HasPrefix("sqlite:") {
				p.h.File(w.From(len("sqlite:")), access.Read, "PDO in php code")
				p.h.File(w.From(len("sqlite:")), access.Write, "PDO in php code")
				return term{v: computed}, true
			}
		}
		if v.path == "PDO" {
			return term{v: computed}, true
		}
	}
	if strings.HasPrefix(v.path, "$") && !v.has { // $f(…)
		if s, ok := v.v.lit(); ok {
			return p.called(term{path: s}, args), true
		}
		if _, ok := p.defs[v.path]; !ok {
			p.h.Unknown("computed name in php code")
		}
	}
	return term{}, false
}

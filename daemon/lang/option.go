package lang

import (
	"strings"

	"extdir/daemon/access"
)

// Small languages inside the value of one option. Each is a few words of grammar,
// so they stand together.

// fold is the text of a word in small letters, unknown parts as one NUL.
func fold(w access.Word) string { return strings.ToLower(newSource(w).s) }

// sshOptions of ssh_config(5) whose value is a command or a file. ! shell, r
// read, w write, x library. The values expand ~ and %-tokens.
var sshOptions = map[string]byte{
	"proxycommand": '!', "localcommand": '!', "knownhostscommand": '!', "match": 'm',
	"identityfile": 'r', "certificatefile": 'r', "userknownhostsfile": 'w', "globalknownhostsfile": 'r', "include": 'r', "identityagent": 'r',
	"controlpath": 'w', "revokedhostkeys": 'r', "pkcs11provider": 'x', "securitykeyprovider": 'x', "xauthlocation": 'x', "localforward": 'f', "remoteforward": 'f',
}

// readSSHOption reads the value of ssh -o: KEY=VALUE or KEY VALUE.
func readSSHOption(w access.Word, h Host) {
	p := newSource(w)
	i := 0
	for i < len(p.s) && wordByte(p.s[i]) {
		i++
	}
	key := strings.ToLower(p.s[:i])
	for i < len(p.s) && strings.IndexByte(" \t=", p.s[i]) >= 0 {
		i++
	}
	if _, ok := p.hole(min(i, max(len(p.s)-1, 0))); ok && key == "" {
		h.Unknown("ssh option that is not in the line")
		return
	}
	how := sshOptions[key]
	if how == 0 || i >= len(p.s) {
		return
	}
	why := "value of ssh option " + key
	switch strings.ToLower(p.s[i:]) {
	case "none", "no", "yes", "auto", "internal", "ssh_auth_sock":
		return
	}
	switch how {
	case '!':
		h.Shell(p.text(i, len(p.s)))
		return
	case 'm':
		if e := strings.Index(strings.ToLower(p.s), "exec "); e >= 0 {
			v := strings.Trim(p.s[e+5:], `"`)
			h.Shell(p.text(e+5+strings.Index(p.s[e+5:], v), e+5+strings.Index(p.s[e+5:], v)+len(v)))
		}
		return
	}
	for i < len(p.s) {
		a := i
		for i < len(p.s) && p.s[i] != ' ' && p.s[i] != '\t' {
			i++
		}
		b := i
		for i < len(p.s) && (p.s[i] == ' ' || p.s[i] == '\t') {
			i++
		}
		if b > a+1 && p.s[a] == '"' && p.s[b-1] == '"' {
			a, b = a+1, b-1
		}
		if a >= b {
			continue
		}
		v := sshTokens(bare(p.text(a, b)))
		switch how {
		case 'f':
			if v.HasPrefix("/") || v.HasPrefix("~") {
				h.File(v, access.Write, why)
			}
		case 'w':
			h.File(v, access.Write, why)
		case 'x':
			h.File(v, access.Execute, why)
		default:
			h.File(v, access.Read, why)
		}
	}
}

// sshTokens puts what the %-tokens stand for: %d is the home directory, %% a
// percent sign, the others names.
func sshTokens(w access.Word) access.Word {
	out := access.Word{Start: w.Start, End: w.End}
	for _, s := range w.Segs {
		if s.Class != access.Known {
			out.Segs = append(out.Segs, s)
			continue
		}
		text := s.Text
		for {
			j := strings.IndexByte(text, '%')
			if j < 0 || j+1 >= len(text) {
				break
			}
			part := s
			part.Text = text[:j]
			if j > 0 {
				out.Segs = append(out.Segs, part)
			}
			switch text[j+1] {
			case 'd':
				part.Text = "~"
				if len(out.Segs) > 0 {
					part = access.Segment{Class: access.Any, Start: s.Start, End: s.End}
				}
			case '%':
				part.Text = "%"
			default:
				part = access.Segment{Class: access.Name, Start: s.Start, End: s.End}
			}
			out.Segs = append(out.Segs, part)
			text = text[j+2:]
		}
		if text != "" {
			s.Text = text
			out.Segs = append(out.Segs, s)
		}
	}
	return out
}

// curlOptions are curl's options that open files, as they stand in its
// configuration; @: the value is a file behind an @ (or <, or inside a form).
var curlOptions = map[string]byte{
	"output": 'w', "o": 'w', "dump-header": 'w', "d-header": 'w', "D": 'w', "cookie-jar": 'w', "c": 'w', "trace": 'w', "trace-ascii": 'w', "stderr": 'w',
	"output-dir": 'w', "hsts": 'w', "alt-svc": 'w', "etag-save": 'w', "libcurl": 'w',
	"config": 'r', "K": 'r', "cookie": 'k', "b": 'k', "upload-file": 'r', "T": 'r', "cacert": 'r', "capath": 'r', "cert": 'r', "E": 'r', "key": 'r',
	"netrc-file": 'r', "unix-socket": 'r', "abstract-unix-socket": 'r', "etag-compare": 'r', "crlfile": 'r', "proxy-cacert": 'r', "proxy-cert": 'r', "proxy-key": 'r', "pubkey": 'r',
	"data": '@', "d": '@', "data-binary": '@', "data-ascii": '@', "data-urlencode": 'u', "json": '@', "form": 'F', "F": 'F', "header": '@', "H": '@', "proxy-header": '@',
	"write-out": '@', "w": '@', "url": 'U',
}

// readCurlConfig reads the text of curl -K: one option a line, with or without
// dashes, "=", ":" or a blank before its value.
func readCurlConfig(w access.Word, h Host) {
	p := newSource(w)
	for i := 0; i < len(p.s); {
		end := len(p.s)
		if e := strings.IndexByte(p.s[i:], '\n'); e >= 0 {
			end = i + e
		}
		curlLine(p, h, i, end)
		i = end + 1
	}
}

func curlLine(p *source, h Host, i, end int) {
	for i < end && (p.s[i] == ' ' || p.s[i] == '\t' || p.s[i] == '-') {
		i++
	}
	a := i
	for i < end && (wordByte(p.s[i]) || p.s[i] == '-') {
		i++
	}
	key := p.s[a:i]
	if _, ok := p.hole(a); ok {
		h.Unknown("curl option that is not in the line")
		return
	}
	for i < end && strings.IndexByte(" \t=:", p.s[i]) >= 0 {
		i++
	}
	how := curlOptions[key]
	if how == 0 || i >= end {
		return
	}
	b := builder{p: p}
	from := i
	if p.s[i] == '"' {
		for i++; i < end && p.s[i] != '"'; {
			if p.s[i] == '\\' && i+1 < end {
				i = unescape(&b, p.s, i, "n\nt\tr\rv\v")
				continue
			}
			b.copy(i)
			i++
		}
	} else {
		for ; i < end && strings.IndexByte(" \t\r", p.s[i]) < 0; i++ {
			b.copy(i)
		}
	}
	b.span(from, min(i, end))
	v := b.word()
	why := "value of " + key + " in curl configuration"
	file := func(v access.Word, kind access.Kind) {
		if s := v.String(); s != "-" && s != "." && s != "" && s != "%" {
			h.File(v, kind, why)
		}
	}
	switch how {
	case 'r':
		file(v, access.Read)
	case 'w':
		file(v, access.Write)
	case 'k':
		if _, _, pair := v.Cut('='); !pair {
			file(v, access.Read)
		}
	case '@':
		if v.HasPrefix("@") {
			file(v.From(1), access.Read)
		}
	case 'u':
		if v.HasPrefix("@") {
			file(v.From(1), access.Read)
		} else if before, after, ok := v.Cut('@'); ok {
			if _, _, eq := before.Cut('='); !eq {
				file(after, access.Read)
			}
		}
	case 'F':
		if _, after, ok := v.Cut('='); ok && (after.HasPrefix("@") || after.HasPrefix("<")) {
			after = after.From(1)
			after, _, _ = after.Cut(';')
			file(after, access.Read)
		}
	case 'U':
		if s := fold(v); strings.HasPrefix(s, "file://") {
			file(v.From(len("file://")), access.Read)
		}
	}
}

// readTarCheckpoint reads tar's --checkpoint-action: exec=COMMAND runs it, the
// others show something.
func readTarCheckpoint(w access.Word, h Host) {
	switch {
	case w.HasPrefix("exec="):
		h.Shell(w.From(len("exec=")))
	case len(w.Segs) > 0 && w.Segs[0].Class != access.Known:
		h.Unknown("tar checkpoint action that is not in the line")
	}
}

// readGitAlias reads what an alias of git stands for: after "!" it is a command
// of the shell, else words of git.
func readGitAlias(w access.Word, h Host) {
	switch {
	case w.HasPrefix("!"):
		h.Shell(w.From(1))
	case len(w.Segs) > 0 && w.Segs[0].Class != access.Known:
		h.Unknown("git alias that is not in the line")
	}
}

// readRsyncFilter reads a filter rule of rsync: merge FILE, dir-merge FILE and
// their short forms (. and :) open a file.
func readRsyncFilter(w access.Word, h Host) {
	p := newSource(w)
	i := 0
	for i < len(p.s) && p.s[i] != ' ' && p.s[i] != '_' && p.s[i] != ',' && p.s[i] != 0 {
		i++
	}
	rule := p.s[:i]
	for i < len(p.s) && p.s[i] != ' ' && p.s[i] != '_' && p.s[i] != 0 {
		i++ // modifiers
	}
	if _, ok := p.hole(0); ok {
		h.Unknown("rsync filter that is not in the line")
		return
	}
	if i < len(p.s) && p.s[i] != 0 {
		i++
	}
	short := len(rule) > 0 && (rule[0] == '.' || rule[0] == ':')
	if rule != "merge" && rule != "dir-merge" && !short || i >= len(p.s) {
		return
	}
	if rule == "dir-merge" || rule != "" && rule[0] == ':' {
		// A name that is looked for in every directory of the transfer.
		if !p.text(i, len(p.s)).HasPrefix("/") {
			return
		}
	}
	h.File(p.text(i, len(p.s)), access.Read, "merge in rsync filter")
}

// readOpenSSLPass reads where openssl takes a password from: file:PATH opens
// one, env: pass: fd: and stdin don't.
func readOpenSSLPass(w access.Word, h Host) {
	switch {
	case w.HasPrefix("file:"):
		h.File(w.From(len("file:")), access.Read, "pass phrase source of openssl")
	case len(w.Segs) > 0 && w.Segs[0].Class != access.Known:
		h.File(access.Unknowable(access.Any, w.Start, w.End), access.Read, "pass phrase source of openssl")
	}
}

// readGitPathspec reads a pathspec of git: magic in front, a path behind. What
// begins at the top of the repository lies in it.
func readGitPathspec(w access.Word, h Host) {
	s := newSource(w).s
	switch {
	case strings.HasPrefix(s, ":("):
		e := strings.IndexByte(s, ')')
		if e < 0 {
			return
		}
		magic := s[2:e]
		if strings.Contains(magic, "top") || strings.Contains(magic, "exclude") || strings.Contains(magic, "attr") {
			return
		}
		rest := newSource(w)
		h.File(rest.text(e+1, len(s)), access.Read, "pathspec of git")
	case strings.HasPrefix(s, ":"):
		// :/ :! :^ start at the top, or take away; an empty pathspec is all
	default:
		h.File(w, access.Read, "pathspec of git")
	}
}

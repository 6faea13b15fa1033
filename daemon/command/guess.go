package command

import (
	"net/netip"
	"regexp"
	"strings"

	"extdir/daemon/access"
)

// fallback reads the words of a command nobody described: every word that may
// hold a path is a guess. Shape never hides: only the ground decides, by
// where the path leads.
func fallback(argv []access.Word, g Ground) {
	name, _ := argv[0].Lit()
	// Nobody said what is done with them.
	v := valuer{g: g, why: "operand of " + baseName(name), modes: access.Kinds(access.Read | access.Write)}
	says := false
	for _, w := range argv[1:] {
		if says && sentence(w) {
			says = false
			continue
		}
		p, known := w.Prefix()
		name, _, valued := strings.Cut(p, "=")
		says = known && !valued && tellsText(name, true)
		if valued && tellsText(name, sentence(w.From(len(name)+1))) {
			continue
		}
		guess(v, w)
	}
}

// Fallback reads the words behind argv[0], a script or program whose own description, if
// there is one of its name, isn't meant: each word that may hold a path is a guess.
func Fallback(argv []access.Word, g Ground) { fallback(argv, g) }

// guess reports every part of the word that may be a path.
func guess(v valuer, w access.Word) {
	g := kind{base: kGuess}
	p, known := w.Prefix()
	if known && !strings.ContainsAny(p, "-@:=,/") { // a bare name, nothing to take apart
		v.path(g, w)
		return
	}
	switch {
	case len(p) > 1 && p[0] == '-':
		// --opt=VALUE, -opt=VALUE, -X/abs
		if i := strings.IndexByte(p, '='); i > 0 {
			guess(v, w.From(i+1))
			return
		}
		if i := strings.IndexByte(p, ':'); i > 1 && !strings.Contains(p[:i], "/") { // -opt:VALUE
			guess(v, w.From(i+1))
			return
		}
		if i := strings.IndexByte(p, '/'); i > 1 {
			if up := strings.Index(p, "../"); up > 0 && up < i {
				i = up
			}
			guess(v, w.From(i))
			return
		}
		if !known && p[1] != '-' && len(p) == 2 {
			v.path(g, w.From(2)) // -I$x
		}
		return
	case strings.HasPrefix(p, "@"):
		guess(v, w.From(1))
		return
	}
	if url, ok := fileURL(w); ok {
		v.path(g, url)
		return
	}
	if kind, _, ok := strings.Cut(p, "://"); ok && localSchemes[strings.ToLower(kind)] {
		guess(v, w.From(len(kind)+len("://")))
		return
	}
	if strings.Contains(p, "://") && scheme.MatchString(p) {
		return
	}
	if name, value, ok := w.Cut('='); ok && !mentions(name, '/') {
		if _, known := name.Lit(); known {
			guess(v, value)
			return
		}
	}
	if remote.MatchString(p) {
		return
	}
	if text, ok := w.Lit(); ok {
		if _, err := netip.ParsePrefix(text); err == nil {
			return
		}
	}
	for _, sep := range []byte{':', ','} {
		if !mentions(w, sep) {
			continue
		}
		if parts := splitAt(w, sep); len(parts) > 1 && anyOutside(parts[1:]) {
			for _, part := range parts {
				guess(v, part)
			}
			return
		}
	}
	if file, _, ok := w.Cut(':'); ok { // FILE:LINE
		if exists, _ := v.g.Stat(file); exists {
			v.path(g, file)
			return
		}
	}
	v.path(g, w)
}

// remote is what stands before a path on another machine, with somebody's name.
var remote = regexp.MustCompile(`^(?:[a-z0-9]+:)?[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:[^:]`)

// localSchemes stand before the name of a file or a socket of this machine.
var localSchemes = map[string]bool{"unix": true, "ipc": true, "docker-archive": true, "oci-archive": true}

// anyOutside tells whether one of the words begins like an outside path, or goes
// up on its way.
func anyOutside(words []access.Word) bool {
	for _, w := range words {
		p, _ := w.Prefix()
		if strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "//") || strings.HasPrefix(p, "~/") || up(p) {
			return true
		}
	}
	return false
}

// mentioned tells whether the text is a sentence that begins with the name of
// something that is there: "/etc/hosts is stale". A file with the sentence for a
// name would stand beside it; it doesn't, and who makes one names the words
// without blanks. A sentence with another path in it may be a command.
func (v valuer) mentioned(w access.Word, text string) bool {
	first, rest, ok := strings.Cut(text, " ")
	if !ok || strings.Count(rest, " ") == 0 || rest[0] == '-' || strings.ContainsAny(rest, "/~$`<>|;&") || strings.Contains(rest, " -") {
		return false
	}
	if exists, _ := v.g.Stat(w); exists {
		return false
	}
	exists, _ := v.g.Stat(access.Text(first))
	return exists
}

// up tells whether the text has ".." as a component.
func up(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// tellsPath tells whether the name of an option says that its value is a file or
// folder: --log-file, -configDir, --kubeconfig. A client of a service has such
// options as well, and a spec that calls what it doesn't name text needn't know
// all of them.
func tellsPath(name string) bool {
	if len(name) < 4 || name[0] != '-' {
		return false
	}
	name = strings.ToLower(name)
	for _, end := range []string{"file", "files", "dir", "dirs", "directory", "folder", "path", "filename", "config", "output", "outfile", "import", "export", "attach", "attachment"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

func baseName(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// tellsText tells whether the name of an option says that its value is what
// somebody says, so that it is text whatever it looks like. Names that now and
// then take a file as well need a sentence for a value.
func tellsText(name string, sentence bool) bool {
	if len(name) < 5 || name[0] != '-' {
		return false
	}
	switch name = strings.ToLower(strings.TrimLeft(name, "-")); name {
	case "message", "title", "subtitle", "subject", "description", "comment", "caption", "regex", "regexp",
		"namespace", "cluster", "selector", "region", "stage", "hook-stage", "hostname", "username", "role", "branch", "base-url":
		return true
	case "body", "text", "label", "note", "notes", "prompt", "placeholder", "summary", "query", "search", "header", "reason":
		return sentence
	}
	return false
}

// sentence tells whether the word is more than one word.
func sentence(w access.Word) bool {
	text, known := w.Lit()
	return known && strings.Contains(strings.TrimSpace(text), " ")
}

package draft

import (
	"fmt"
	"regexp"
	"strings"
)

// option is one line of options.
type option struct {
	names []string
	value string // "<file>", "[=text]"; "" for none
	why   string // what the kind was guessed from
}

var (
	optName = regexp.MustCompile(`^--?[A-Za-z0-9?@%!][A-Za-z0-9_.:+-]*$`)
	// A metavar in the words of Go's flag package and pflag (cobra).
	goType = regexp.MustCompile(`^(string|strings|stringArray|stringSlice|stringToString|int|int32|int64|ints|uint|uint16|uint32|uint64|float|float32|float64|duration|value|file|path|dir|directory|bytes|count|ip|list)$`)
	meta   = regexp.MustCompile(`^(<[^<>]+>|\[[^\[\]]+\]|\{[^{}]+\}|[A-Z][A-Z0-9_./:|=,-]*)(\.\.\.)?,?$`)
	lower  = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
)

// most names has one option: a line with more is a list of several, whose values
// can't be told apart. Options that the spec doesn't name are read with caution.
const most = 4

// options reads every line that begins with a dash.
func (d *draft) options() {
	for i, l := range d.lines {
		trimmed := strings.TrimSpace(l)
		if trimmed == l && !strings.HasPrefix(l, "-") || !strings.HasPrefix(trimmed, "-") {
			continue
		}
		head, about := cutAbout(trimmed)
		if about == "" && i+1 < len(d.lines) {
			about = strings.TrimSpace(d.lines[i+1])
		}
		o, metavar, optional, ok := d.head(head)
		if !ok || len(o.names) > most {
			continue
		}
		if metavar != "" {
			k, why := kindOf(o.names, metavar, about)
			o.why = why
			o.value = "<" + k + ">"
			if optional {
				o.value = "[=" + k + "]"
			}
		}
		d.opts = append(d.opts, o)
		for _, n := range o.names {
			d.longDash = d.longDash || len(n) > 2 && n[1] != '-'
		}
	}
}

var gap = regexp.MustCompile(`\s{2,}|\t`)

// cutAbout cuts the description off: it stands behind two blanks or a tab. A
// docopt line may have two blanks between names.
func cutAbout(l string) (head, about string) {
	for _, at := range gap.FindAllStringIndex(l, -1) {
		if rest := l[at[1]:]; !strings.HasPrefix(rest, "-") {
			return l[:at[0]], rest
		}
	}
	return l, ""
}

// head reads "-f, --file=FILE", "-f FILE, --file FILE", "--[no-]x", "-x/--y".
func (d *draft) head(head string) (o option, metavar string, optional, ok bool) {
	head = strings.NewReplacer(" / ", ", ", " | ", ", ", "|-", ", -", "/--", ", --", " or -", ", -").Replace(head)
	words := strings.Fields(head)
words:
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") {
			if len(o.names) == 0 {
				return o, "", false, false
			}
			last := i == len(words)-1 || strings.HasPrefix(words[i+1], "-")
			switch bare := strings.TrimSuffix(w, ","); {
			case meta.MatchString(w) || goType.MatchString(bare) || last && lower.MatchString(bare) && (i == len(words)-1 && i <= 2 || strings.HasSuffix(w, ",")):
				metavar = pick(metavar, bare)
				continue
			case w == "..." || strings.HasPrefix(w, "<") || strings.HasPrefix(w, "["):
				continue
			}
			break words // the description after a single blank
		}
		name, rest := strings.TrimSuffix(strings.TrimSuffix(w, ","), "..."), ""
		if at := strings.IndexAny(name, "=[<"); at > 0 {
			name, rest = name[:at], name[at:]
		}
		var names []string
		if name == "--" && strings.HasPrefix(rest, "[no-]") { // click, git
			names = []string{"--" + rest[5:], "--no-" + rest[5:]}
			if at := strings.IndexAny(rest[5:], "=["); at > 0 {
				names = []string{"--" + rest[5:][:at], "--no-" + rest[5:][:at]}
			}
			rest = ""
		} else {
			names = []string{name}
		}
		for _, n := range names {
			if !optName.MatchString(n) || d.seen[n] {
				continue
			}
			d.seen[n] = true
			o.names = append(o.names, n)
		}
		switch {
		case rest == "":
		case rest[0] == '[':
			metavar, optional = pick(metavar, strings.Trim(rest, "[]=.")), true
		default:
			metavar = pick(metavar, strings.Trim(rest, "=."))
		}
	}
	return o, metavar, optional, len(o.names) > 0
}

func pick(old, fresh string) string {
	if fresh = strings.Trim(fresh, "<>[]{}=., "); fresh == "" {
		fresh = "VALUE"
	}
	if old != "" {
		return old
	}
	return fresh
}

var (
	choices  = regexp.MustCompile(`^[a-z0-9_-]+([|,] ?[a-z0-9_-]+)+$`) // one of these
	number   = regexp.MustCompile(`(?i)^(n|num|number|int|int32|int64|ints|uint|uint16|uint32|uint64|float|float32|float64|count|seconds|secs|sec|duration|timeout|port|level|bytes|size|lines|cols|columns|width|ip|bool|when|0\|1|true\|false)$`)
	folder   = regexp.MustCompile(`(?i)(^|[^a-z])(dir|directory|folder)s?([^a-z]|$)|dir$`)
	file     = regexp.MustCompile(`(?i)(^|[^a-z])(file|filename|path|pathname|paths|files)([^a-z]|$)|file$|path$`)
	written  = regexp.MustCompile(`(?i)^--?(o|out|output|outfile|out-file|output-file|output-dir|outdir|out-dir|log-file|logfile|log|pid-file|pidfile)$`)
	address  = regexp.MustCompile(`(?i)^(url|uri)s?$`)
	writesIt = regexp.MustCompile(`(?i)\b(write|written|save|store|dump|output) `)
)

// kindOf guesses what a value is, and says from what.
func kindOf(names []string, metavar, about string) (kind, why string) {
	mode := ""
	for _, n := range names {
		if written.MatchString(n) {
			mode = "/w"
		}
	}
	if writesIt.MatchString(about) {
		mode = "/w"
	}
	said := fmt.Sprintf("its value is called %s", strings.Join(strings.Fields(metavar), " "))
	switch {
	case number.MatchString(metavar):
		return "text", ""
	case address.MatchString(metavar):
		return "fileurl" + mode, said
	case folder.MatchString(metavar):
		return "dir" + mode, said
	case file.MatchString(metavar):
		return "path" + mode, said
	case choices.MatchString(metavar):
		return "text", said
	}
	all := strings.Join(names, " ")
	switch {
	case folder.MatchString(all):
		return "dir" + mode, "its name is " + all
	case file.MatchString(all):
		return "path" + mode, "its name is " + all
	case mode != "" && written.MatchString(names[len(names)-1]):
		return "path/w", "its name is " + all
	case folder.MatchString(about), file.MatchString(about):
		return "path" + mode, "its description speaks of a file or folder"
	}
	return "guess", said + ", write text if it is never a path"
}

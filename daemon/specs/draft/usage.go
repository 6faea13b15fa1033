package draft

import (
	"regexp"
	"strings"
)

var (
	optionWord = regexp.MustCompile(`(?i)^(options?|flags?|opts|global options|global flags|\.\.\.)$`)
	subWord    = regexp.MustCompile(`(?i)^(sub)?commands?$`)
	plainName  = regexp.MustCompile(`[^a-z0-9]+`)
	choice     = regexp.MustCompile(`^\{[a-z0-9_,-]+\}$`)
)

// usage reads the operands of the first way to call the command.
func (d *draft) usage() {
	calls := d.usageLines()
	if len(calls) == 0 {
		return
	}
	d.doubts = calls[1:]
	var slots []string
	many := false
	names := map[string]bool{}
	for _, t := range tokens(calls[0]) {
		if t == "..." && len(slots) > 0 && !many {
			many = true
			slots[len(slots)-1] += "..."
			continue
		}
		optional := strings.HasPrefix(t, "[")
		inner := strings.Trim(strings.TrimSuffix(t, "..."), "[]<>() ")
		repeats := strings.HasSuffix(t, "...") || strings.Contains(t, "...")
		inner = strings.Trim(strings.ReplaceAll(inner, "...", ""), "[]<>() ")
		switch {
		case inner == "" || strings.HasPrefix(inner, "-") || optionWord.MatchString(inner):
			continue
		case choice.MatchString(inner): // argparse's subcommands
			for _, s := range strings.Split(strings.Trim(inner, "{}"), ",") {
				d.sub(s)
			}
			return
		case subWord.MatchString(inner) && len(slots) == 0:
			return
		}
		inner = strings.Fields(inner)[0]
		name := strings.Trim(plainName.ReplaceAllString(strings.ToLower(inner), "-"), "-")
		if names[name] && repeats && !many && len(slots) > 0 { // SRC [SRC ...]
			many = true
			slots[len(slots)-1] += "..."
		}
		if name == "" || names[name] {
			continue
		}
		names[name] = true
		slot := name + ":" + operandKind(name)
		if optional {
			slot = "[" + slot + "]"
		} else {
			slot = "<" + slot + ">"
		}
		if repeats && !many {
			many = true
			slot += "..."
		}
		slots = append(slots, slot)
	}
	d.operands = strings.Join(slots, " ")
}

// tokens cuts a usage line at blanks outside brackets.
func tokens(l string) []string {
	var out []string
	depth, start := 0, -1
	for i, r := range l {
		switch r {
		case '[', '<', '(', '{':
			depth++
		case ']', '>', ')', '}':
			depth = max(0, depth-1)
		}
		if (r == ' ' || r == '\t') && depth == 0 {
			if start >= 0 {
				out, start = append(out, l[start:i]), -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, l[start:])
	}
	return out
}

var (
	target = regexp.MustCompile(`^(dest|destination|dst|out|output|outfile|output-file)$`)
	source = regexp.MustCompile(`^(src|source|sources|in|input|inputs|infile|input-file)$`)
)

func operandKind(name string) string {
	switch {
	case number.MatchString(name):
		return "text"
	case target.MatchString(name):
		return "path/w"
	case source.MatchString(name):
		return "path"
	case folder.MatchString(name):
		return "dir"
	case file.MatchString(name):
		return "path"
	case address.MatchString(name):
		return "fileurl"
	}
	return "guess"
}

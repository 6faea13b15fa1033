package analyze

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"extdir/daemon/access"
)

// lineFilter is what a program that keeps lines prints of its input. Of known text
// it is told exactly or not at all: a later program may pick one line of it. Names
// inside stay names inside whichever are kept.
func (x *run) lineFilter(name string, argv, files []access.Word, opts []string, in, unknown access.Word) access.Word {
	if !in.Known() {
		if (onlyInside(in) || matchedLine(in)) && plainOptions[name] != "" && within(opts, plainOptions[name]) {
			return in
		}
		return unknown
	}
	list := lines(in)
	switch name {
	case "tee", "sponge":
		return in
	case "cat", "less", "more":
		if len(opts) == 0 {
			return in
		}
	case "shuf":
		if len(list) < 2 && len(opts) == 0 {
			return in
		}
	case "sort":
		// Other characters sort by the language that is set.
		simple := within(opts, "ru")
		for _, l := range list {
			simple = simple && strings.Trim(litOf(l), "abcdefghijklmnopqrstuvwxyz") == ""
		}
		if len(list) < 2 || simple {
			sort.SliceStable(list, func(i, j int) bool { return litOf(list[i]) < litOf(list[j]) })
			if has(opts, 'r', "--reverse") {
				slices.Reverse(list)
			}
			if has(opts, 'u', "--unique") {
				list = unique(list)
			}
			return unlines(list)
		}
	case "uniq":
		if len(opts) == 0 {
			return unlines(unique(list))
		}
	case "tac":
		if len(opts) == 0 {
			slices.Reverse(list)
			return unlines(list)
		}
	case "head", "tail":
		n, ok := count(argv)
		if !ok {
			break
		}
		if n < len(list) {
			if name == "head" {
				list = list[:n]
			} else {
				list = list[len(list)-n:]
			}
		}
		return unlines(list)
	case "grep", "egrep", "fgrep", "rg":
		if len(files) == 0 || !within(opts, "vFE") {
			break
		}
		pat, ok := files[0].Lit()
		if !ok || strings.ContainsAny(pat, `.*[]^$\+?(){}|`) && !has(opts, 'F', "--fixed-strings") && name != "fgrep" || strings.Contains(pat, "\n") {
			break
		}
		var kept []access.Word
		for _, l := range list {
			if strings.Contains(litOf(l), pat) != has(opts, 'v', "--invert-match") {
				kept = append(kept, l)
			}
		}
		return unlines(kept)
	}
	return unknown
}

// plainOptions are the letters of options that keep lines as they are.
var plainOptions = map[string]string{
	"sort": "rubfnVhz", "uniq": "iz", "head": "n0123456789", "tail": "n0123456789", "tac": " ", "shuf": "n",
	"grep": "vFEiPwx", "egrep": "viwx", "fgrep": "viwx", "cat": " ", "tee": "ai", "rg": "vFiPw", "sponge": "a",
	"less": " ", "more": " ",
}

// within tells whether options hold only these letters.
func within(opts []string, letters string) bool {
	for _, o := range opts {
		if strings.HasPrefix(o, "--") || strings.Trim(o[1:], letters) != "" {
			return false
		}
	}
	return true
}

func unique(list []access.Word) []access.Word {
	var out []access.Word
	for i, w := range list {
		if i == 0 || litOf(w) != litOf(list[i-1]) {
			out = append(out, w)
		}
	}
	return out
}

// count reads -n N, -nN and -N of head and tail.
func count(argv []access.Word) (int, bool) {
	n := 10
	for i := 0; i < len(argv); i++ {
		lit, ok := argv[i].Lit()
		if !ok || !strings.HasPrefix(lit, "-") {
			return 0, false
		}
		v := strings.TrimPrefix(strings.TrimPrefix(lit, "--lines="), "-")
		if lit == "-n" && i+1 < len(argv) {
			i++
			v, _ = argv[i].Lit()
		} else {
			v = strings.TrimPrefix(v, "n")
		}
		m, err := strconv.Atoi(v)
		if err != nil || m < 0 || strings.HasPrefix(v, "+") {
			return 0, false
		}
		n = m
	}
	return n, true
}

// filtered is what cut and tr print of known input; other editors print anything.
func (x *run) filtered(name string, argv []access.Word, in access.Word, piped bool, unknown access.Word) access.Word {
	if !piped || !in.Known() || !allKnown(argv) {
		return unknown
	}
	switch name {
	case "rev":
		if len(argv) > 0 {
			return unknown
		}
		return eachLine(lines(in), func(w access.Word) access.Word {
			r := []rune(litOf(w))
			for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
				r[i], r[j] = r[j], r[i]
			}
			return access.Text(string(r))
		})
	case "tr":
		if len(argv) != 2 {
			return unknown
		}
		from, to := litOf(argv[0]), litOf(argv[1])
		if strings.ContainsAny(from+to, `\[-`) || to == "" {
			return unknown
		}
		text, _ := in.Lit()
		out := []byte(text)
		for i, c := range out {
			if k := strings.IndexByte(from, c); k >= 0 {
				out[i] = to[min(k, len(to)-1)]
			}
		}
		return access.Text(string(out))
	case "cut":
		delim, field := "\t", 0
		for i := 0; i < len(argv); i++ {
			lit := litOf(argv[i])
			val := func(n int) string {
				if len(lit) > n {
					return lit[n:]
				}
				if i+1 < len(argv) {
					i++
					return litOf(argv[i])
				}
				return ""
			}
			switch {
			case strings.HasPrefix(lit, "-d"):
				delim = val(2)
			case strings.HasPrefix(lit, "-f"):
				field, _ = strconv.Atoi(val(2))
			default:
				return unknown
			}
		}
		if len(delim) != 1 || field < 1 {
			return unknown
		}
		return eachLine(lines(in), func(w access.Word) access.Word {
			parts := strings.Split(litOf(w), delim)
			switch {
			case len(parts) == 1:
				return w
			case field <= len(parts):
				return access.Text(parts[field-1])
			}
			return access.Word{}
		})
	}
	return unknown
}

// matchedLine tells whether a text is one line that stands for all the names that a
// pattern matched: whichever of them are kept, it stands for them.
func matchedLine(w access.Word) bool {
	for i, s := range w.Segs {
		switch {
		case s.Glob != "":
		case s.Class != access.Known:
			return false
		case strings.Contains(strings.TrimSuffix(s.Text, "\n"), "\n"), strings.HasSuffix(s.Text, "\n") && i < len(w.Segs)-1:
			return false
		}
	}
	return w.OneOfMany()
}

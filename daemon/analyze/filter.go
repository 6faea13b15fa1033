package analyze

import (
	"sort"
	"strconv"
	"strings"

	"extdir/daemon/access"
)

// lineFilter is what a program that keeps lines prints of known input. Where it
// can't be told which lines, all are kept: more is never less safe.
func (x *run) lineFilter(name string, argv, files []access.Word, opts []string, in access.Word) access.Word {
	switch name {
	case "cat", "tee", "less", "more", "sponge", "shuf":
		return in
	case "sort", "uniq", "tac":
		if !in.Known() || len(opts) > 0 && name != "sort" {
			return in
		}
		list := lines(in)
		switch name {
		case "sort":
			for _, o := range opts {
				if o != "-u" && o != "-r" {
					return in
				}
			}
			sort.SliceStable(list, func(i, j int) bool { return litOf(list[i]) < litOf(list[j]) })
			if has(opts, 'r', "--reverse") {
				for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
					list[i], list[j] = list[j], list[i]
				}
			}
			if has(opts, 'u', "--unique") {
				list = unique(list)
			}
		case "uniq":
			list = unique(list)
		case "tac":
			for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
				list[i], list[j] = list[j], list[i]
			}
		}
		return unlines(list)
	case "head", "tail":
		n, ok := count(argv)
		if !ok || !in.Known() {
			return in
		}
		list := lines(in)
		if n < len(list) {
			if name == "head" {
				list = list[:n]
			} else {
				list = list[len(list)-n:]
			}
		}
		return unlines(list)
	}
	if in.Known() && len(files) > 0 && len(opts) <= 1 && !has(opts, 'v', "--invert-match") { // grep
		pat, ok := files[0].Lit()
		if ok && pat != "" && !strings.ContainsAny(pat, `.*[]^$\+?(){}|`) && (len(opts) == 0 || opts[0] == "-F" || opts[0] == "-E") {
			var kept []access.Word
			for _, l := range lines(in) {
				if strings.Contains(litOf(l), pat) {
					kept = append(kept, l)
				}
			}
			return unlines(kept)
		}
	}
	return in
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
		if err != nil || m < 0 {
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

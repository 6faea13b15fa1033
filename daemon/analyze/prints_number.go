package analyze

import (
	"strings"

	"extdir/daemon/access"
)

// printsNumber tells whether a program writes a number, nothing else, to standard
// output. Arithmetic looks into what it is given for commands to run; there are
// none in a number.
func printsNumber(name string, argv, files []access.Word, opts []string) bool {
	switch name {
	case "wc": // with an operand it prints that, too
		return len(files) == 0 && len(opts) == 1 && oneOf(opts[0], "-l", "-c", "-w", "-m", "--lines", "--bytes", "--words", "--chars")
	case "grep", "egrep", "fgrep", "rg": // with several files it prints their names
		patterns := 1
		if has(opts, 'e', "--regexp") || has(opts, 'f', "--file") {
			return false
		}
		return has(opts, 'c', "--count") && len(files) <= patterns+1 && !has(opts, 'r', "--recursive") && !has(opts, 'H', "--with-filename")
	case "date":
		return len(argv) == 1 && digitFormat(litOf(argv[0]), "+", "sNYmdHMSjuwyVeCIklgGU")
	case "stat":
		if len(argv) == 3 && oneOf(litOf(argv[0]), "-c", "--format") {
			return digitFormat(litOf(argv[1]), "", "sYXZWaugihbBfd")
		}
		return len(argv) == 3 && litOf(argv[0]) == "-f" && digitFormat(litOf(argv[1]), "", "zmacBugil")
	case "id":
		return len(files) <= 1 && len(opts) == 1 && oneOf(opts[0], "-u", "-g")
	case "tput":
		return len(argv) == 1 && oneOf(litOf(argv[0]), "cols", "lines", "colors")
	case "expr": // a sum of what is no number is an error
		return len(argv) == 3 && oneOf(litOf(argv[1]), "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "=", "!=")
	case "nproc":
		return true
	}
	return false
}

// digitFormat tells whether a format is made of fields that are numbers.
func digitFormat(format, prefix, fields string) bool {
	rest, ok := strings.CutPrefix(format, prefix)
	if !ok || rest == "" || len(rest)%2 != 0 {
		return false
	}
	for i := 0; i < len(rest); i += 2 {
		if rest[i] != '%' || !strings.Contains(fields, rest[i+1:i+2]) {
			return false
		}
	}
	return true
}

func oneOf(s string, list ...string) bool {
	for _, l := range list {
		if s == l {
			return true
		}
	}
	return false
}

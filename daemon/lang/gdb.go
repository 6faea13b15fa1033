package lang

import (
	"strings"

	"extdir/daemon/access"
)

// gdbCommands: how short a command may be and what it does: ! shell, r read, w
// write, x run, L the last operand is read, p python code, - nothing.
var gdbCommands = []struct {
	name string
	min  int
	how  string
}{
	{"shell", 3, "!"},
	{"make", 3, "m"},
	{"pipe", 4, "|"},
	{"source", 2, "x"},
	{"file", 3, "r"},
	{"exec-file", 5, "r"},
	{"symbol-file", 3, "r"},
	{"add-symbol-file", 5, "r"},
	{"core-file", 4, "r"},
	{"core", 4, "r"},
	{"cd", 2, "r"},
	{"directory", 3, "r"},
	{"restore", 7, "r"},
	{"load", 4, "r"},
	{"generate-core-file", 8, "w"},
	{"gcore", 5, "w"},
	{"dump", 3, "d"},
	{"append", 6, "d"},
	{"save", 4, "d1"},
	{"python", 3, "p"},
	{"py", 2, "p"},
	{"python-interactive", 8, "p"},
	{"pi", 2, "p"},
	{"guile", 3, "u"},
	{"compile", 4, "u"},
	{"target", 3, "t"},
	{"set", 3, "s"},
	{"tty", 3, "w"},
	{"run", 1, "R"},
	{"start", 5, "R"},
	{"starti", 6, "R"},
	{"call", 4, "e"},
	{"print", 1, "e"},
	{"dlopen", 6, "x"},
	{"record", 3, "d1"},
}

// readGdb reads the commands of gdb -ex, -iex and of a command file.
func readGdb(program access.Word, h Host) {
	p := &vim{source: newSource(program), h: h}
	for p.i < len(p.s) {
		a, b := p.i, p.eol()
		p.gdbLine(a, b)
		p.i = min(b+1, len(p.s))
	}
}

func (p *vim) gdbLine(a, b int) {
	p.i = a
	p.gap()
	if p.i >= b {
		return
	}
	switch p.s[p.i] {
	case '#':
		return
	case '!':
		p.h.Shell(p.text(p.i+1, b))
		return
	case '|':
		if e := strings.LastIndex(p.s[p.i+1:b], "|"); e >= 0 {
			p.h.Shell(p.text(p.i+2+e, b))
		}
		return
	case 0:
		if _, ok := p.hole(p.i); ok {
			p.h.Unknown("gdb command that is not in the line")
		}
		return
	}
	start := p.i
	for p.i < b && (wordByte(p.s[p.i]) || p.s[p.i] == '-') {
		p.i++
	}
	name := p.s[start:p.i]
	p.gap()
	how := ""
	for _, c := range gdbCommands {
		if len(name) >= c.min && strings.HasPrefix(c.name, name) {
			how = c.how
			break
		}
	}
	why := name + " in gdb command"
	var ops []access.Word
	rest := p.i
	for p.i < b {
		x := p.i
		for p.i < b && p.s[p.i] != ' ' && p.s[p.i] != '\t' {
			p.i++
		}
		if p.s[x] != '-' {
			ops = append(ops, bare(p.text(x, p.i)))
		}
		p.gap()
	}
	if how == "" || rest >= b {
		return
	}
	switch how {
	case "!":
		p.h.Shell(p.text(rest, b))
	case "m":
		p.h.Shell(access.Text("make ").Concat(p.text(rest, b)))
	case "|":
		if e := strings.LastIndex(p.s[rest:b], "|"); e >= 0 {
			p.h.Shell(p.text(rest+e+1, b))
		}
	case "r", "x", "w":
		if len(ops) > 0 {
			p.h.File(ops[0], map[string]access.Kind{"r": access.Read, "x": access.Execute, "w": access.Write}[how], why)
		}
	case "d", "d1":
		// dump [FORMAT] memory|value FILE …; save breakpoints FILE
		i := 0
		for i < len(ops) {
			switch ops[i].String() {
			case "memory", "value", "binary", "ihex", "srec", "tekhex", "verilog", "breakpoints", "gdb-index", "tracepoints", "save":
				i++
				continue
			}
			break
		}
		if i < len(ops) && (how == "d" || i > 0) {
			p.h.File(ops[i], access.Write, why)
		}
	case "p":
		if read, ok := scripts["python"]; ok {
			read(p.text(rest, b), p.h)
		}
	case "u":
		p.h.Unknown(why)
	case "t":
		if len(ops) > 1 && (ops[0].String() == "exec" || ops[0].String() == "core") {
			p.h.File(ops[1], access.Read, why)
		} else if len(ops) > 1 && ops[1].HasPrefix("|") {
			_, w, _ := p.text(rest, b).Cut('|')
			p.h.Shell(w)
		}
	case "s":
		if len(ops) > 2 && ops[0].String() == "logging" && ops[1].String() == "file" {
			p.h.File(ops[2], access.Write, why)
		} else if len(ops) > 1 && (ops[0].String() == "sysroot" || ops[0].String() == "solib-search-path" || ops[0].String() == "debug-file-directory" || ops[0].String() == "history") {
			if last := ops[len(ops)-1]; strings.Contains(last.String(), "/") {
				p.h.File(last, access.Read, why)
			}
		}
	case "R":
		// The program is started by a shell, with these words behind it.
		p.h.Shell(access.Text(": ").Concat(p.text(rest, b)))
	case "e":
		// print system("…"), call (int)open("…")
		toks := p.tokens(rest, b)
		for i := 0; i+2 < len(toks); i++ {
			if toks[i].kind != 'i' || toks[i+1].text != "(" && toks[i+1].text != ")" {
				continue
			}
			v, _ := vimArgument(toks, i+2)
			switch toks[i].text {
			case "system", "popen":
				v.shell(p.h, "gdb")
			case "open", "fopen", "dlopen", "unlink", "remove", "mkdir", "creat", "chmod", "execl", "execlp":
				v.open(p.h, access.Write, toks[i].text+" in gdb command", "gdb")
			}
		}
	}
}

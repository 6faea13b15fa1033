package lang

import (
	"strings"

	"extdir/daemon/access"
)

// otherCalls are names by which languages without a reader of their own (Scala,
// Groovy, Clojure, Elixir, Julia, Haskell, Swift, Kotlin …) reach the file system.
// The actions are table's: r w x m h t; b writes every name it is given, k reads
// the first and writes the others.
var otherCalls = table(`
	r: open slurp readFile File.open fromFile readlines readLines eachline readdir readText readBytes read read! stream! file-seq file reader io.file io.reader File Path Paths.get Path.of URL contentsOfFile listDirectory getDirectoryContents doesFileExist doesDirectoryExist exists exists? ls ls! stat stat! lstat isfile isdir ispath filesize countlines walkdir cd setCurrentDirectory FileReader FileInputStream RandomAccessFile
	r: newBufferedReader readAllLines readAllBytes readString newInputStream contents
	w: spit writeFile appendFile File.write File.write! write! rm rm! rm_rf rm_rf! rmdir rmdir! mkdir mkdir! mkdir_p mkdir_p! mkpath touch touch! chmod chmod! chown chgrp ln_s ln ln_s! removeFile removeItem createFile createDirectory createDirectoryIfMissing removeDirectory removeDirectoryRecursive removePathForcibly setPermissions delete-file io.delete-file io.make-parents make-parents
	w: deleteIfExists deleteDir deleteRecursively mkdirs writeText writeBytes appendText newBufferedWriter createDirectories newOutputStream FileWriter PrintWriter FileOutputStream PrintStream io.writer writer toFile atPath createTempFile
	b: cp cp! cp_r cp_r! mv mv! rename rename! copyFile renameFile renamePath renameDirectory copyItem moveItem symlink hardlink createSymbolicLink Files.copy Files.move
	x: include Code.require_file Code.eval_file load-file load require_file evaluate
	h: os.cmd cmd System.cmd System.shell shell callCommand system readCreateProcess callProcess readProcess spawnCommand sh clojure.java.shell.sh shell.sh execute exec getRuntime.exec Process ProcessBuilder launchedProcess
	t: println print puts printf putStrLn putStr inspect prn echo log info debug warn error split replace replaceAll matches match contains startsWith endsWith starts_with? ends_with? startswith endswith hasPrefix hasSuffix join indexOf occursin str Regex re-find re-seq re-matches regex assert throw format sprintf show display
`)

// otherMembers are members of a file object: what is done to the name before them.
var otherMembers = words(`delete deleteDir deleteOnExit deleteRecursively deleteIfExists mkdir mkdirs createNewFile write writeText writeBytes
	append appendText setText setLastModified setWritable setExecutable setReadable renameTo withWriter newWriter newOutputStream bytes_ leftShift`)

// readOther reads a program of a language that has no grammar here. It sees
// strings, what they are handed to and what is done to them, no variables: a file
// that such a name opens is an access, another string that looks like a path
// outside is one that is read, and a name or command that a known call gets from
// somewhere else than the line's arguments is unknown.
func readOther(program access.Word, h Host) {
	p := &otherText{source: newSource(program), h: h}
	p.scan()
	if p.holes {
		h.Unknown("code that is not in the line")
	}
}

type otherText struct {
	*source
	h     Host
	toks  []otherToken
	holes bool
}

// otherToken is a string 's' with its text, a name 'i', or one character.
type otherToken struct {
	kind byte
	text string
	val  access.Word
	char bool // between apostrophes or backquotes
}

func (p *otherText) scan() {
	for i := 0; i < len(p.s); {
		c := p.s[i]
		switch {
		case c == '"', c == '`', c == '\'' && strings.IndexByte(p.s[i+1:], '\'') > 0:
			i = p.quoted(i)
		case wordByte(c) || c == 0x00:
			if c == 0 {
				p.holes = true
			}
			j := i + 1
			for j < len(p.s) && (wordByte(p.s[j]) || p.member(j)) {
				j++
			}
			for j < len(p.s) && (p.s[j] == '!' || p.s[j] == '?') && (j+1 >= len(p.s) || p.s[j+1] != '=') {
				j++
			}
			p.toks = append(p.toks, otherToken{kind: 'i', text: strings.ReplaceAll(p.s[i:j], "/", ".")})
			i = j
		case c == ' ' || c == '\t' || c == '\r':
			i++
		default:
			p.toks = append(p.toks, otherToken{kind: c})
			i++
		}
	}
	for i, t := range p.toks {
		if t.kind == 's' {
			p.text(i, t)
		}
		if t.kind == 'i' && (i == 0 || p.toks[i-1].kind != '.' && p.toks[i-1].kind != '>') {
			p.call(i, t)
		}
	}
}

// member: the character joins the parts of a name (File.write, io/file, delete-file).
func (p *otherText) member(j int) bool {
	if j+1 >= len(p.s) || !wordByte(p.s[j+1]) || p.s[j+1] >= '0' && p.s[j+1] <= '9' {
		return false
	}
	return p.s[j] == '.' || (p.s[j] == '/' || p.s[j] == '-') && wordByte(p.s[j-1])
}

// quoted reads a string that begins at i. What is put into it is unknown.
func (p *otherText) quoted(i int) int {
	q := p.s[i : i+1]
	if strings.HasPrefix(p.s[i:], `"""`) {
		q = `"""`
	}
	w := builder{p: p.source}
	j := i + len(q)
	for j < len(p.s) && !strings.HasPrefix(p.s[j:], q) {
		switch {
		case p.s[j] == '\\' && j+1 < len(p.s) && p.s[j+1] != '(':
			j = unescape(&w, p.s, j, "n\nt\tr\r")
			continue
		case (p.s[j] == '#' || p.s[j] == '$' || p.s[j] == '\\') && j+1 < len(p.s) && (p.s[j+1] == '{' || p.s[j+1] == '('):
			closer := map[byte]byte{'{': '}', '(': ')'}[p.s[j+1]]
			if e := strings.IndexByte(p.s[j:], closer); e > 0 {
				w.hole(access.Any)
				j += e + 1
				continue
			}
			w.copy(j)
		case p.s[j] == '$' && q != "'" && j+1 < len(p.s) && wordByte(p.s[j+1]):
			w.hole(access.Any)
			for j++; j < len(p.s) && wordByte(p.s[j]); j++ {
			}
			continue
		default:
			w.copy(j)
		}
		j++
	}
	j = min(j, len(p.s))
	w.span(i, j)
	p.toks = append(p.toks, otherToken{kind: 's', val: w.word(), char: q == "'" || q == "`"})
	return min(j+len(q), len(p.s))
}

// callee finds the call that the token at i is handed to, and how many strings of
// its arguments stand before it. glued: it is an argument by its place alone.
func (p *otherText) callee(i int) (name string, nth int) {
	depth := 0
	for j := i - 1; j >= 0; j-- {
		switch t := p.toks[j]; t.kind {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth >= 0 {
				continue
			}
			if j > 0 && p.toks[j-1].kind == 'i' {
				return p.toks[j-1].text, nth
			}
			if j+1 < i && p.toks[j+1].kind == 'i' {
				return p.toks[j+1].text, nth
			}
			depth = 0
		case ';', '\n', '=', '|', '<', '>':
			if depth == 0 {
				return "", nth
			}
		case 's':
			if depth == 0 {
				nth++
			}
		case 'i':
			if depth == 0 && otherAction(t.text) != "" && p.toks[j+1].kind != '(' {
				return t.text, nth
			}
		}
	}
	return "", nth
}

// otherAction looks a name up by itself and by its last parts.
func otherAction(name string) string {
	for {
		if a, ok := otherCalls[name]; ok {
			return a
		}
		_, rest, ok := strings.Cut(name, ".")
		if !ok {
			return ""
		}
		name = rest
	}
}

// text judges a string by the call it is handed to and the member behind it.
func (p *otherText) text(i int, t otherToken) {
	name, nth := p.callee(i)
	action := otherAction(name)
	if action == "h" {
		if nth == 0 {
			p.command(i)
		}
		return
	}
	if k := p.done(i); k != "" && (action == "" || action == "r") {
		action = k
	}
	switch {
	case action == "t":
	case action == "b":
		p.h.File(t.val, access.Write, name+" in code")
	case nth > 0 && (action == "r" || action == "w" || action == "x"):
		if action == "r" && nth == 1 && p.toks[i-1].kind == ',' && openMode(t.val) {
			p.h.File(p.first(i), access.Write, name+" in code")
		} else if action == "r" && pathLike(t.val) {
			p.mention(t.val)
		}
	case action == "r":
		p.h.File(t.val, access.Read, name+" in code")
	case action == "w":
		p.h.File(t.val, access.Write, name+" in code")
	case action == "x":
		p.h.File(t.val, access.Execute, name+" in code")
	case action == "" && pathLike(t.val):
		p.mention(t.val)
	}
}

func (p *otherText) mention(w access.Word) { p.h.File(w, access.Read, "string in code") }

// openMode tells a mode of open that writes: "w", "a+", "r+".
func openMode(w access.Word) bool {
	m, ok := w.Lit()
	return ok && len(m) <= 3 && strings.Trim(m, "rwab+x") == "" && strings.ContainsAny(m, "wa+x")
}

// first is the string before the one at i: what open opens with that mode.
func (p *otherText) first(i int) access.Word {
	for i--; i > 0 && p.toks[i].kind != 's'; i-- {
	}
	return p.toks[i].val
}

// done is what a member behind the string at i does to the file it names:
// new File("/x").delete(), "cat /x".execute().
func (p *otherText) done(i int) string {
	for j := i + 1; j < len(p.toks) && p.toks[j].kind != ';' && p.toks[j].kind != '\n' && p.toks[j].kind != ','; j++ {
		if p.toks[j].kind == '.' && j+1 < len(p.toks) && p.toks[j+1].kind == '!' { // scala.sys.process
			p.h.Shell(p.toks[i].val)
			return "t"
		}
		if p.toks[j].kind != '.' || j+1 >= len(p.toks) || p.toks[j+1].kind != 'i' {
			if p.toks[j].kind == ')' {
				continue
			}
			return ""
		}
		name, _, _ := strings.Cut(p.toks[j+1].text, ".")
		if otherMembers[name] {
			return "w"
		}
		if name == "execute" {
			p.h.Shell(p.toks[i].val)
			return "t"
		}
		j++
	}
	return ""
}

// command reports what a call runs: its text for a shell, or a program and the
// constants behind it.
func (p *otherText) command(i int) {
	argv := []access.Word{p.toks[i].val}
	for j := i + 1; j < len(p.toks) && p.toks[j].kind != ';' && p.toks[j].kind != '\n' && p.toks[j].kind != '|'; j++ {
		if p.toks[j].kind == 's' {
			argv = append(argv, p.toks[j].val)
		} else if p.toks[j].kind == 'i' {
			break
		}
	}
	if len(argv) == 1 {
		p.h.Shell(argv[0])
		return
	}
	p.h.Exec(argv)
}

// call asks about a call that gets its file or command from elsewhere.
func (p *otherText) call(i int, t otherToken) {
	a := otherAction(t.text)
	if a != "h" && a != "w" && a != "b" || i+1 >= len(p.toks) {
		return
	}
	depth := 0
	for j := i + 1; j < len(p.toks); j++ {
		switch u := p.toks[j]; u.kind {
		case 's':
			return
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				if depth < 0 || j == i+2 {
					return // no argument of its own: a member's, or a definition
				}
				p.h.Unknown("computed name in code")
				return
			}
		case ';', '\n':
			if j == i+1 {
				return
			}
			p.h.Unknown("computed name in code")
			return
		case 'i':
			switch strings.ToLower(u.text) {
			case "args", "argv", "system.argv", "commandline.arguments":
				return // the spec judges the words of the line
			}
		case '=', '.', ':':
			if j == i+1 {
				return
			}
		}
	}
	p.h.Unknown("computed name in code")
}

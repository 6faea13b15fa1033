package twin

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
)

// A touch is what one system call did with one path.
type touch struct {
	call string
	// path is absolute, every link followed as the kernel did at that moment.
	path string
	// at is the path before its last component was followed, if that was a link.
	at    string
	write bool
	// look: the call asked about the path and read nothing out of it (stat, access).
	look bool
	// mark: the path was only named, as the target of a symlink is.
	mark bool
	// made: a directory was made, or was there already.
	made bool
}

// arg tells where a system call has a path: the index of the directory it starts
// from (-1: the current one) and of the name.
type arg struct{ dir, name int }

// A syscall is how a system call of strace's %file class is read (strace 6.1, man 2).
type syscall struct {
	args  []arg
	flags int // index of O_… or AT_… flags, -1 if it has none
	open  bool
	write bool
	look  bool
	keep  bool // the last component isn't followed
}

var one, at = []arg{{-1, 0}}, []arg{{0, 1}}

var syscalls = map[string]syscall{
	"open": {args: one, flags: 1, open: true}, "openat": {args: at, flags: 2, open: true},
	"openat2": {args: at, flags: 2, open: true}, "creat": {args: one, flags: -1, write: true},
	"stat": {args: one, flags: -1, look: true}, "lstat": {args: one, flags: -1, look: true, keep: true},
	"newfstatat": {args: at, flags: 3, look: true}, "statx": {args: at, flags: 2, look: true},
	"access": {args: one, flags: -1, look: true}, "faccessat": {args: at, flags: -1, look: true},
	"faccessat2": {args: at, flags: 3, look: true}, "statfs": {args: one, flags: -1, look: true},
	"readlink": {args: one, flags: -1, look: true, keep: true}, "readlinkat": {args: at, flags: -1, look: true, keep: true},
	"getxattr": {args: one, flags: -1, look: true}, "lgetxattr": {args: one, flags: -1, look: true, keep: true},
	"listxattr": {args: one, flags: -1, look: true}, "llistxattr": {args: one, flags: -1, look: true, keep: true},
	"chdir": {args: one, flags: -1}, "execve": {args: one, flags: -1}, "execveat": {args: at, flags: -1},
	"inotify_add_watch": {args: []arg{{-1, 1}}, flags: -1},
	"link":              {args: []arg{{-1, 0}, {-1, 1}}, flags: -1, write: true, keep: true}, "linkat": {args: []arg{{0, 1}, {2, 3}}, flags: -1, write: true, keep: true},
	"unlink": {args: one, flags: -1, write: true, keep: true}, "unlinkat": {args: at, flags: -1, write: true, keep: true},
	"rmdir":     {args: one, flags: -1, write: true, keep: true},
	"rename":    {args: []arg{{-1, 0}, {-1, 1}}, flags: -1, write: true, keep: true},
	"renameat":  {args: []arg{{0, 1}, {2, 3}}, flags: -1, write: true, keep: true},
	"renameat2": {args: []arg{{0, 1}, {2, 3}}, flags: -1, write: true, keep: true},
	"symlink":   {args: []arg{{-1, 1}}, flags: -1, write: true, keep: true}, "symlinkat": {args: []arg{{1, 2}}, flags: -1, write: true, keep: true},
	"mkdir": {args: one, flags: -1, write: true, keep: true}, "mkdirat": {args: at, flags: -1, write: true, keep: true},
	"mknod": {args: one, flags: -1, write: true, keep: true}, "mknodat": {args: at, flags: -1, write: true, keep: true},
	"chmod": {args: one, flags: -1, write: true}, "fchmodat": {args: at, flags: -1, write: true}, "fchmodat2": {args: at, flags: 3, write: true},
	"chown": {args: one, flags: -1, write: true}, "lchown": {args: one, flags: -1, write: true, keep: true}, "fchownat": {args: at, flags: 4, write: true},
	"truncate": {args: one, flags: -1, write: true}, "utime": {args: one, flags: -1, write: true}, "utimes": {args: one, flags: -1, write: true},
	"utimensat": {args: at, flags: 3, write: true}, "futimesat": {args: at, flags: -1, write: true},
	"setxattr": {args: one, flags: -1, write: true}, "lsetxattr": {args: one, flags: -1, write: true, keep: true}, "removexattr": {args: one, flags: -1, write: true},
}

// A record is one system call of the log, put together where another process's
// came between its start and its end.
type record struct {
	pid, call string
	args      []string
	value     string // what it returned
	rest      string // what strace says after that: the error, the path of the descriptor
}

func (r record) ok() bool { return !strings.HasPrefix(r.value, "-") && r.value != "?" }

var (
	whole   = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+|\?)(.*)$`)
	resumed = regexp.MustCompile(`^<\.\.\. \w+ resumed>`)
)

// readLog reads the records of a log in the order in which the calls ended. Forks
// come where they began: the new process may be seen before its parent goes on.
func readLog(file string) ([]record, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []record
	begun := map[string]string{}
	forks := map[string]int{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 4<<20)
	for sc.Scan() {
		pid, text, _ := strings.Cut(sc.Text(), " ")
		text = strings.TrimLeft(text, " ")
		if head, cut := strings.CutSuffix(text, " <unfinished ...>"); cut {
			begun[pid] = head
			if isFork(text[:strings.IndexByte(text, '(')]) {
				forks[pid] = len(out)
				out = append(out, record{})
			}
			continue
		}
		place := len(out)
		if loc := resumed.FindStringIndex(text); loc != nil {
			text = begun[pid] + text[loc[1]:]
			if at, fork := forks[pid]; fork {
				place = at
				delete(forks, pid)
			}
		}
		m := whole.FindStringSubmatch(text)
		if m == nil {
			if strings.HasPrefix(text, "+++") || strings.HasPrefix(text, "---") {
				continue
			}
			return nil, fmt.Errorf("strace wrote what isn't understood: %s", text)
		}
		r := record{pid, m[1], splitArgs(m[2]), m[3], m[4]}
		if place < len(out) {
			out[place] = r
		} else {
			out = append(out, r)
		}
	}
	return out, sc.Err()
}

func isFork(call string) bool {
	return call == "clone" || call == "clone3" || call == "fork" || call == "vfork"
}

// readTrace reads what a line touched, from the start of its shell on. links are
// those of the world; what the line makes and removes of them is followed.
// stage is the directory that was "/" to the line.
func readTrace(file, stage, shell string, links linkTree) ([]touch, error) {
	log, err := readLog(file)
	if err != nil {
		return nil, err
	}
	var out []touch
	cwd, program := map[string]string{}, map[string]string{}
	started := false
	for _, r := range log {
		if !started {
			if r.call == "execve" && r.ok() && unquote(r.args[0]) == shell {
				started = true
				cwd[r.pid], program[r.pid] = "/projects/app", shell
			}
			continue
		}
		switch {
		case isFork(r.call):
			cwd[r.value], program[r.value] = cwd[r.pid], program[r.pid]
			continue
		case r.call == "fchdir":
			if r.ok() {
				cwd[r.pid] = inStage(shown(r.args, 0), stage)
			}
			continue
		}
		ts, err := touches(r, cwd[r.pid], stage, links)
		if err != nil {
			return nil, fmt.Errorf("%w: %s(%s)", err, r.call, strings.Join(r.args, ", "))
		}
		if r.call == "chdir" && r.ok() {
			cwd[r.pid] = ts[0].path
		}
		if r.call == "chdir" && program[r.pid] != shell {
			ts[0].look = true // mkdir -p goes where it makes something
		}
		if r.call == "execve" && r.ok() {
			program[r.pid] = unquote(r.args[0])
		}
		out = append(out, ts...)
	}
	if !started {
		return nil, fmt.Errorf("strace never saw %s start", shell)
	}
	return out, nil
}

func touches(r record, cwd, stage string, links linkTree) ([]touch, error) {
	call, args := r.call, r.args
	switch call {
	case "getcwd", "mount", "umount2", "chroot":
		return nil, nil
	case "getdents64", "getdents":
		dir := inStage(shown(args, 0), stage)
		return []touch{{call: call, path: dir, at: dir}}, nil
	}
	c, known := syscalls[call]
	if !known {
		return nil, fmt.Errorf("system call %s isn't in the table of this test", call)
	}
	flags := ""
	if c.flags >= 0 && c.flags < len(args) {
		flags = args[c.flags]
	}
	has := func(names ...string) bool {
		for _, n := range names {
			for f := range strings.FieldsFuncSeq(flags, func(r rune) bool { return r == '|' || r == '{' || r == ',' || r == '=' || r == ' ' }) {
				if f == n {
					return true
				}
			}
		}
		return false
	}
	write := c.write || c.open && has("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC")
	look := c.look || c.open && has("O_PATH", "O_DIRECTORY") // a directory is read by getdents
	keep := c.keep || has("AT_SYMLINK_NOFOLLOW", "O_NOFOLLOW")
	var out []touch
	for i, a := range c.args {
		name := args[a.name]
		if name == "NULL" || name == `""` {
			continue // the call is about the descriptor, whose opening was seen
		}
		full := unquote(name)
		if !strings.HasPrefix(full, "/") {
			base := cwd
			if dir := shown(args, a.dir); dir != "" {
				base = inStage(dir, stage)
			}
			if base == "" {
				return nil, fmt.Errorf("it isn't known where a relative name starts from")
			}
			full = base + "/" + full
		}
		t := touch{call: call, path: links.resolve(full, !keep), write: write, look: look}
		t.at = links.resolve(full, false)
		if strings.HasPrefix(call, "link") && i == 0 {
			t.write = false
		}
		t.made = call == "mkdir" || call == "mkdirat"
		if t.made && !r.ok() && strings.Contains(r.rest, "EEXIST") {
			t.write, t.look = false, true
		}
		out = append(out, t)
	}
	switch {
	case strings.HasPrefix(call, "symlink"):
		target := unquote(args[0])
		full := target
		if !strings.HasPrefix(full, "/") {
			full = path.Dir(out[0].path) + "/" + full
		}
		out = append(out, touch{call: call, path: links.resolve(full, true), mark: true})
		if r.ok() {
			links[out[0].path] = target
		}
	case r.ok() && strings.HasPrefix(call, "rename"):
		links.move(out[0].path, out[1].path)
	case r.ok() && (strings.HasPrefix(call, "unlink") || call == "rmdir"):
		delete(links, out[0].path)
	}
	return out, nil
}

// shown is the path that strace -y shows for a descriptor; "" if it is none.
func shown(args []string, i int) string {
	if i < 0 {
		return ""
	}
	_, dir, found := strings.Cut(args[i], "<")
	if !found {
		return ""
	}
	return unescape(strings.TrimSuffix(strings.TrimSuffix(dir, ">"), " (deleted)"))
}

func inStage(dir, stage string) string {
	if dir == stage {
		return "/"
	}
	return strings.TrimPrefix(dir, stage)
}

// splitArgs cuts arguments at the commas outside of strings and brackets.
func splitArgs(s string) []string {
	var out []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[' || c == '(' || c == '<':
			depth++
		case c == '}' || c == ']' || c == ')' || c == '>':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

func unquote(s string) string {
	s = strings.TrimSuffix(s, "...")
	return unescape(strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`))
}

// unescape reads C escapes as strace writes them.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if j := strings.IndexByte("abtnvfr", s[i]); j >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r"[j])
			continue
		}
		if s[i] < '0' || s[i] > '7' {
			b.WriteByte(s[i])
			continue
		}
		n := 0
		j := i
		for ; j < len(s) && j < i+3 && '0' <= s[j] && s[j] <= '7'; j++ {
			n = n*8 + int(s[j]-'0')
		}
		b.WriteByte(byte(n))
		i = j - 1
	}
	return b.String()
}

// A linkTree is the symlinks of the world at one moment, by name.
type linkTree map[string]string

// resolve follows links the way the kernel does; last tells whether the last
// component is followed as well.
func (l linkTree) resolve(name string, last bool) string {
	rest := strings.Split(name, "/")
	real := "/"
	for hops := 0; len(rest) > 0; {
		c := rest[0]
		rest = rest[1:]
		switch c {
		case "", ".":
			continue
		case "..":
			real = path.Dir(real)
			continue
		}
		next := path.Join(real, c)
		target, link := l[next]
		if !link || hops == 40 || !last && len(rest) == 0 {
			real = next
			continue
		}
		hops++
		if strings.HasPrefix(target, "/") {
			real = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return real
}

func (l linkTree) move(from, to string) {
	for name, target := range l {
		if name == from || strings.HasPrefix(name, from+"/") {
			delete(l, name)
			l[to+name[len(from):]] = target
		}
	}
}

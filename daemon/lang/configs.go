package lang

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"extdir/daemon/access"
)

// Texts of files that aren't programs, but name files or commands line by line.

// eachLine hands the lines of a text to f, without the blanks around them.
func eachLine(w access.Word, f func(line access.Word, text string)) {
	p := newSource(w)
	for a := 0; a < len(p.s); {
		b := a + strings.IndexByte(p.s[a:], '\n')
		if b < a {
			b = len(p.s)
		}
		i, j := a, b
		for i < j && strings.IndexByte(" \t\r", p.s[i]) >= 0 {
			i++
		}
		for j > i && strings.IndexByte(" \t\r", p.s[j-1]) >= 0 {
			j--
		}
		if i < j {
			f(p.text(i, j), p.s[i:j])
		}
		a = b + 1
	}
}

// readSSHConfig reads a configuration file of ssh: ssh -F. Its lines are what
// ssh -o takes (ssh_config(5)).
func readSSHConfig(w access.Word, h Host) {
	eachLine(w, func(line access.Word, text string) {
		if text[0] != '#' {
			readSSHOption(line, h)
		}
	})
}

// readPatch reads a patch for the files it changes: the headers of unified and
// context diffs, and what git adds to them. How much of the names is stripped
// stands elsewhere, so a name counts as it is and, for the a/ and b/ of git,
// without its first part. A patch isn't a program: of one that isn't known nothing
// is said, since patch and git apply don't leave their folder (patch(1): "ignoring
// potentially dangerous file name").
func readPatch(w access.Word, h Host) {
	eachLine(w, func(line access.Word, text string) {
		for _, head := range []string{"--- ", "+++ ", "*** ", "Index: ", "rename to ", "rename from ", "copy to "} {
			name, ok := strings.CutPrefix(text, head)
			if !ok {
				continue
			}
			name, _, _ = strings.Cut(name, "\t")
			name = strings.Trim(name, `"`)
			if name == "" || name == "/dev/null" || strings.HasSuffix(name, " ****") {
				return
			}
			if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
				h.File(spannedText(name[2:], line), access.Write, "file that a patch changes")
				return
			}
			h.File(spannedText(name, line), access.Write, "file that a patch changes")
			return
		}
	})
}

// gitConfigs are the settings of git whose value is run (s), a file (f) or a folder
// (d). * stands for the name of a section's part.
var gitConfigs = map[string]byte{
	"core.pager": 's', "core.editor": 's', "core.sshcommand": 's', "core.fsmonitor": 's', "core.gitproxy": 's', "sequence.editor": 's',
	"diff.external": 's', "gpg.program": 's', "*.textconv": 's', "*.cmd": 's', "*.clean": 's', "*.smudge": 's', "*.process": 's', "*.driver": 's',
	"core.hookspath": 'd', "core.worktree": 'd', "init.templatedir": 'd',
	"core.excludesfile": 'f', "core.attributesfile": 'f', "include.path": 'f', "includeif.path": 'f', "commit.template": 'f',
}

// readGitConfig reads a configuration file of git (git-config(1), "Syntax").
func readGitConfig(w access.Word, h Host) {
	section := ""
	eachLine(w, func(line access.Word, text string) {
		switch text[0] {
		case '#', ';':
			return
		case '[':
			head, rest, _ := strings.Cut(text[1:], "]")
			section, _, _ = strings.Cut(strings.ToLower(head), " ")
			if text = strings.TrimSpace(rest); text == "" {
				return
			}
		}
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		if section == "alias" {
			if strings.HasPrefix(value, "!") {
				h.Shell(spannedText(value[1:], line))
			}
			return
		}
		how := gitConfigs[section+"."+key]
		if how == 0 {
			how = gitConfigs["*."+key]
		}
		switch how {
		case 's':
			h.Shell(spannedText(value, line))
		case 'd', 'f':
			h.File(bare(spannedText(value, line)), access.Read, "setting "+section+"."+key+" of git")
		}
	})
}

// readNPMScripts reads a package.json for the scripts that npm run and its kin run,
// readNPMInstall for those that an installation runs (npm help scripts).
func readNPMScripts(w access.Word, h Host) { npmScripts(w, h, nil) }

func readNPMInstall(w access.Word, h Host) {
	npmScripts(w, h, words("preinstall install postinstall preprepare prepare postprepare prepublish"))
}

func npmScripts(w access.Word, h Host, some map[string]bool) {
	text, ok := w.Lit()
	var pkg struct{ Scripts map[string]string }
	if !ok || json.Unmarshal([]byte(text), &pkg) != nil {
		h.Unknown("package.json whose scripts can't be read")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(pkg.Scripts)) {
		if some == nil || some[name] {
			h.Shell(spannedText(pkg.Scripts[name], w))
		}
	}
}

var (
	composeVolume = regexp.MustCompile(`(?:^-\s*|[\[,]\s*)["']?((?:/|\.\.?/|~/)[^:"'\s,\]]*):([^"'\s,\]]*)`)
	composeKey    = regexp.MustCompile(`^(?:-\s*)?["']?(source|context|env_file|file|dockerfile|build|device)["']?\s*:\s*["']?([^\s"'#{\[]+)`)
)

// readCompose reads a file of docker compose for what it mounts and reads of this
// machine (the Compose Specification). It is no reader of YAML: it looks at lines.
func readCompose(w access.Word, h Host) {
	eachLine(w, func(line access.Word, text string) {
		if text[0] == '#' {
			return
		}
		for _, m := range composeVolume.FindAllStringSubmatch(text, -1) {
			name := bare(spannedText(m[1], line))
			h.File(name, access.Read, "volume of docker compose")
			if mode := m[2][strings.LastIndexByte(m[2], ':')+1:]; mode != "ro" {
				h.File(name, access.Write, "volume of docker compose")
			}
		}
		if m := composeKey.FindStringSubmatch(text); m != nil {
			h.File(bare(spannedText(m[2], line)), access.Read, m[1]+" of docker compose")
		}
	})
}

// readSFTP reads commands of sftp: what they read and write here (sftp(1)).
func readSFTP(w access.Word, h Host) {
	eachLine(w, func(line access.Word, text string) {
		text = strings.TrimLeft(text, "-@")
		if cmd, ok := strings.CutPrefix(text, "!"); ok {
			h.Shell(spannedText(cmd, line))
			return
		}
		var names []string
		fields := strings.Fields(text)
		for _, f := range fields {
			if !strings.HasPrefix(f, "-") {
				names = append(names, strings.Trim(f, `"'`))
			}
		}
		if len(names) < 2 {
			return
		}
		kind, name := access.Read, names[1]
		switch names[0] {
		case "put", "mput", "reput", "lcd", "lls":
		case "lmkdir":
			kind = access.Write
		case "get", "mget", "reget":
			if kind = access.Write; len(names) < 3 {
				return
			}
			name = names[2]
		default:
			return
		}
		h.File(spannedText(name, line), kind, names[0]+" of sftp")
	})
}

// readForeign stands for the shells and languages that nobody reads.
func readForeign(_ access.Word, h Host) { h.Unknown("program in a language that isn't read") }

var quotedConstant = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|'[^'\\\\\n]*'|`[^`\n]*`")

// readConstants reads source text of any language for its strings: those that look
// like paths outside are told, like a string that a script hands to nobody knows
// what.
func readConstants(w access.Word, h Host) {
	eachLine(w, func(line access.Word, text string) {
		for _, mark := range []string{"//", "#", "/*", "*", "--", "%", ";"} {
			if strings.HasPrefix(text, mark) {
				return
			}
		}
		for _, s := range quotedConstant.FindAllString(text, -1) {
			if c := spannedText(s[1:len(s)-1], line); pathLike(c) {
				if c.HasPrefix("~/") {
					c = home(c.Start, c.End).Concat(c.From(1))
				}
				h.File(c, access.Read, "string in source code")
			}
		}
	})
}

package command

import (
	"net/netip"
	"path"
	"regexp"
	"strings"

	"extdir/daemon/access"
)

// report says to the ground what a finding is.
func (r *reader) report(f finding) {
	g := f.at
	if g == nil {
		g = r.bases[f.base]
	}
	switch f.kind.base {
	case kCommand:
		r.command(f.args, g)
		return
	case kUntil:
		r.each(f.args, g)
		return
	case kParallel:
		r.parallel(f.args, g)
		return
	case kXargs:
		r.xargs(f.args, g)
		return
	case kRemote:
		r.remote(f.args, g)
		return
	case kKeyed:
		names, o := r.slots.of("name"), r.lookup(f.kind.arg)
		if o == nil || len(o.vals) == 0 || len(names) == 0 {
			return
		}
		f.kind, f.word = o.vals[0].kind, names[0].Concat(access.Text("=")).Concat(f.word)
		f.word.Start = names[0].Start
	case kLinkTarget:
		g = r.linkFolder(g)
	case kSh:
		dialect := f.kind.arg
		if dialect == "" {
			dialect = "sh"
		}
		g.Shell(dialect, f.word, f.args)
		return
	case kProcess:
		if text, ok := f.word.Lit(); ok && namesDaemon(text) {
			g.Self(access.SelfDeny, f.word, "ends the daemon")
		}
		return
	case kModule:
		r.module(f, g)
		return
	}
	v := valuer{g: g, why: f.why, value: f.value, place: f.place, with: r}
	for _, e := range r.effects {
		if e.slot != f.slot || f.slot == "" {
			continue
		}
		switch e.verb {
		case "written":
			v.modes = access.Kinds(access.Write)
		case "read":
			v.modes = access.Kinds(access.Read)
		case "run":
			v.modes = access.Kinds(access.Execute)
		case "tree":
			v.tree = true
		case "followed":
			v.follow = true
		case "itself":
			v.itself = true
		case "replaced": // a link to a folder is entered, another one gives way
			_, dir := v.g.Stat(f.word)
			v.itself = !dir
		}
	}
	v.apply(f.kind, f.word)
	if f.open && (f.kind.base == kText || f.kind.base == kCode) {
		v.apply(kind{base: kGuess}, f.word)
	}
}

// linkFolder is the ground of the folder in which ln -s makes a link: what is
// written into a link counts from there.
func (r *reader) linkFolder(g Ground) Ground {
	if into := r.slots.of("into"); len(into) > 0 { // -t
		return g.In(into[0])
	}
	links := r.slots.of("link")
	if len(links) == 0 {
		return g
	}
	link := links[0]
	_, dir := g.Stat(link)
	if p, _ := link.Prefix(); dir && !r.used.has("-n") && !r.used.has("--no-dereference") && !r.used.has("-T") && !r.used.has("-h") ||
		len(r.slots.of("target")) > 1 || strings.HasSuffix(p, "/") {
		return g.In(link)
	}
	if dir, _, ok := link.CutLast('/'); ok {
		if dir.Empty() {
			dir = access.Text("/")
		}
		return g.In(dir)
	}
	if !link.Known() {
		return g.In(link) // it may hold a folder
	}
	return g
}

// input reads standard input as a program.
func (r *reader) input(k kind) {
	text, ok := r.g.Stdin()
	if !ok && !k.runs() {
		return
	}
	if !ok {
		if p, can := r.g.(Piper); !can || p.Piped() {
			r.g.Unknown(r.words[0], "program read from standard input")
		}
		return
	}
	r.report(finding{word: text, kind: k, at: r.g, why: "standard input"})
}

// valuer turns words of a kind into reports.
type valuer struct {
	g      Ground
	why    string
	value  string       // instead of why: the option whose value it is
	place  place        // the line of a spec that says so
	modes  access.Kinds // instead of the kind's
	tree   bool
	follow bool
	itself bool
	with   *reader  // makefiles are read with the variables it was given
	in     *reading // the file that the word stands in, if the line wrote it
}

func (v valuer) apply(k kind, w access.Word) {
	switch k.base {
	case kText, kShArg:
	case kFile, kPath, kDir, kTree, kLinkTarget:
		v.path(k, w)
		if k.elem != nil {
			v.held(*k.elem, w)
		}
	case kHostPath:
		v.hostPath(k, w)
		if k.elem != nil {
			v.held(*k.elem, w)
		}
	case kFileURL, kPathOrURL:
		v.url(k, w)
	case kVol:
		v.volume(k, w)
	case kKV:
		for _, part := range splitAt(w, ',') {
			v.set(k, part)
		}
	case kSet:
		v.set(k, w)
	case kAt:
		switch p, known := w.Prefix(); {
		case strings.HasPrefix(p, "@"):
			v.apply(*k.elem, w.From(1))
		case p == "" && !known:
			v.path(kind{modes: k.elem.modes}, w)
		}
	case kForm:
		v.form(w)
	case kEqFile:
		if _, _, ok := assignment(w); !ok {
			v.path(k, w)
		}
	case kEqGuess:
		if _, value, ok := w.Cut('='); ok {
			guess(v, value)
		}
	case kRefPath:
		v.refPath(k, w)
	case kList:
		for _, part := range splitAt(w, ':') {
			v.apply(*k.elem, part)
		}
	case kNames:
		sep := byte('\n')
		if mentions(w, 0) {
			sep = 0
		}
		for _, name := range splitAt(w, sep) {
			if name = trimNewline(name); !name.Empty() {
				v.apply(*k.elem, name)
			}
		}
	case kGuess:
		if v.modes == 0 {
			v.modes = k.modes
		}
		guess(v, w)
		if k.elem != nil && k.elem.arg == "pytest" {
			v.testModule(w)
		}
		if k.elem != nil {
			v.held(*k.elem, w)
		}
	case kSh:
		v.g.Shell("sh", w, nil)
	case kURLEncode:
		// name=content and =content are text, name@file and @file are not.
		if name, file, ok := w.Cut('@'); ok && !mentions(name, '=') {
			v.path(k, file)
		}
	case kCookie:
		if !mentions(w, '=') {
			v.path(k, w)
		}
	case kSocat:
		v.socat(w)
	case kHTTPItem:
		name, file, ok := w.Cut('@')
		n, _ := name.Prefix()
		if ok && !strings.Contains(n, "/") && !strings.Contains(strings.TrimRight(n, ":="), ":") {
			v.path(k, file)
		}
	case kPackage:
		v.pkg(w)
	case kPipPackage:
		v.pipPackage(w)
	case kLinker:
		v.linker(w)
	case kCMakeVar:
		if _, value, ok := w.Cut('='); ok {
			for _, part := range splitAt(value, ';') {
				guess(v, part)
			}
		}
	case kTarget:
		if p, _ := w.Prefix(); !strings.HasPrefix(p, "//") && !strings.HasPrefix(p, "-//") && !strings.HasPrefix(p, "@") {
			guess(v, w)
		}
	case kGoPackage:
		// "An import path is a path if it begins with / or with a . or ..
		// element" (go help packages); files end in .go.
		p, known := w.Prefix()
		if !known && p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, ".") || strings.HasSuffix(p, ".go") && known {
			v.path(k, w)
			if k.elem != nil {
				v.held(*k.elem, w)
			}
		}
	case kJarAgent:
		file, _, _ := w.Cut('=')
		v.path(kind{modes: access.Kinds(access.Execute)}, file)
	case kAWSFile, kS3Path:
		v.url(kind{base: kPathOrURL, modes: k.modes}, w)
	case kRepo:
		if host, _, ok := w.Cut(':'); ok && !mentions(host, '/') && !host.Empty() {
			if url, ok := fileURL(w); ok {
				v.path(k, url)
			}
			return
		}
		v.refPath(k, w)
	case kSwitch:
		v.switched(w)
	case kProse:
		if !sentence(w) {
			guess(v, w)
		}
	case kFlags:
		for _, flag := range splitBlanks(w) {
			guess(v, flag)
			if k.elem != nil {
				v.heldFlag(*k.elem, flag)
			}
		}
	case kCode:
		v.code(k, w)
	}
}

// reason is put together only where something is reported: most values aren't.
func (v valuer) reason() string {
	if v.value != "" {
		return told("value of "+v.value, v.place)
	}
	return v.why
}

func (v valuer) path(k kind, w access.Word) {
	if text, known := w.Lit(); known && (text == "" || text == "-") {
		return
	}
	if k.base == kGuess && !v.plausible(w) {
		return
	}
	modes := k.modes
	if v.modes != 0 {
		modes = v.modes
	}
	if modes == 0 {
		modes = access.Kinds(access.Read)
	}
	for _, m := range []access.Kind{access.Read, access.Write, access.Execute} {
		if modes.Has(m) {
			v.g.Path(Path{
				Word: w, Kind: m, Why: v.reason(), Guess: k.base == kGuess,
				Dir: v.tree || k.base == kDir || k.base == kTree, Follow: v.follow, Itself: v.itself,
			})
		}
	}
}

// plausible tells whether a guess may be a path that matters: it is not known,
// or leads out by itself, or names something.
func (v valuer) plausible(w access.Word) bool {
	text, known := w.Lit()
	if !known || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") {
		if _, err := netip.ParsePrefix(text); known && err == nil {
			return false
		}
		return !known || !v.mentioned(w, text)
	}
	if up(text) {
		return true
	}
	exists, _ := v.g.Stat(w)
	return exists || w.Glob()
}

// hostPath is [user@]host:path, host::module, scheme://… or a local path: the
// colon counts if no slash stands before it (rsync(1), scp(1)).
func (v valuer) hostPath(k kind, w access.Word) {
	if url, ok := fileURL(w); ok {
		v.path(k, url)
		return
	}
	host, _, ok := w.Cut(':')
	if !ok || mentions(host, '/') || host.Empty() {
		v.path(k, w)
	}
}

// switched reads /name, /name:value or /name=value of a program from Windows. A
// lone /name is a path if something has that name: such programs run on systems
// where paths begin with a slash as well.
func (v valuer) switched(w access.Word) {
	p, known := w.Prefix()
	name, valued := p, false
	if i := strings.IndexAny(p, ":="); i > 0 {
		name, valued = p[:i], true
	}
	if len(name) < 2 || name[0] != '/' || strings.ContainsAny(name[1:], "/.,@ ~*[") || !valued && !known {
		guess(v, w)
		return
	}
	if valued {
		guess(v, w.From(len(name)+1))
		return
	}
	if exists, _ := v.g.Stat(w); exists {
		guess(v, w)
	}
}

func mentions(w access.Word, c byte) bool {
	_, _, ok := w.Cut(c)
	return ok
}

// fileURL is the path of a file: URL.
func fileURL(w access.Word) (access.Word, bool) {
	p, _ := w.Prefix()
	if len(p) < 5 || !strings.EqualFold(p[:5], "file:") {
		return w, false
	}
	for _, lead := range []string{"file://localhost/", "file://127.0.0.1/", "file:///", "file:/"} {
		if len(p) >= len(lead) && strings.EqualFold(p[:len(lead)], lead) {
			return w.From(len(lead) - 1), true
		}
	}
	if strings.HasPrefix(p, "file://") {
		return w.From(len("file://")), true
	}
	return w.From(len("file:")), true
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

func (v valuer) url(k kind, w access.Word) {
	if url, ok := fileURL(w); ok {
		v.path(k, url)
		return
	}
	p, known := w.Prefix()
	if strings.HasPrefix(p, "fileb://") {
		v.path(k, w.From(len("fileb://")))
		return
	}
	if k.arg == "only" || scheme.MatchString(p) {
		return
	}
	if k.base == kPathOrURL || k.modes != 0 {
		v.path(k, w)
		if k.elem != nil {
			v.held(*k.elem, w)
		}
		return
	}
	if known && (strings.HasPrefix(p, "/") || strings.HasPrefix(p, ".")) {
		v.path(k, w)
	}
}

// volume is docker's SOURCE:TARGET[:OPTIONS]; a source without a slash is the
// name of a volume.
func (v valuer) volume(k kind, w access.Word) {
	src, rest, ok := w.Cut(':')
	if !ok {
		return // an anonymous volume, a path in the container
	}
	p, known := src.Prefix()
	if known && !strings.ContainsAny(p, "/.~") {
		return
	}
	if v.modes == 0 {
		v.modes = access.Kinds(access.Read | access.Write)
		if _, opts, ok := rest.Cut(':'); ok {
			if o, _ := opts.Lit(); contains(strings.Split(o, ","), "ro") {
				v.modes = access.Kinds(access.Read)
			}
		}
	}
	v.tree = true
	v.path(k, src)
}

func (v valuer) set(k kind, w access.Word) {
	name, value, ok := w.Cut('=')
	if !ok {
		if e, ok := k.keys[""]; ok {
			v.apply(e, w)
		}
		return
	}
	n, known := name.Lit()
	if !known {
		guess(v, value)
		return
	}
	n = strings.ToLower(n)
	family, _, _ := strings.Cut(n, ".")
	last := n[strings.LastIndexByte(n, '.')+1:]
	for _, key := range []string{n, family + ".*", "*." + last, "*"} { // core.pager, alias.*, *.textconv, *
		if e, ok := k.keys[key]; ok {
			v.apply(e, value)
			return
		}
	}
}

// form is curl -F: name=@file, name=<file, several files by commas, ;type=…
func (v valuer) form(w access.Word) {
	_, value, ok := w.Cut('=')
	if !ok {
		return
	}
	p, known := value.Prefix()
	if p == "" && !known {
		v.path(kind{}, value)
		return
	}
	if !strings.HasPrefix(p, "@") && !strings.HasPrefix(p, "<") {
		return
	}
	file, _, _ := value.From(1).Cut(';')
	for _, f := range splitAt(file, ',') {
		v.path(kind{}, f)
	}
}

// refPath is a revision or a path. Revisions hold no leading slash, "~" at the
// start or ".." component; "REV:path" and ":/text" name no file.
func (v valuer) refPath(k kind, w access.Word) {
	p, known := w.Prefix()
	switch {
	case p == "" && !known, strings.HasPrefix(p, "/"), p == "..", strings.HasPrefix(p, "../"), strings.HasPrefix(p, "./"):
		v.path(k, w)
	default:
		if exists, _ := v.g.Stat(w); exists {
			v.path(k, w)
		} else if known && path.Clean(p) != p && strings.Contains(p, "/../") {
			v.path(k, w)
		}
	}
}

// splitAt cuts a word at every c in its known text.
func splitAt(w access.Word, c byte) []access.Word {
	var out []access.Word
	for {
		before, after, ok := w.Cut(c)
		out = append(out, before)
		if !ok {
			return out
		}
		w = after
	}
}

func namesDaemon(pattern string) bool {
	if strings.Contains(pattern, "extdir") {
		return true
	}
	if len(pattern) < 2 {
		return false
	}
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString("extdird") && !re.MatchString("")
}

// socat addresses are TYPE:PARAMETER,OPTION…
func (v valuer) socat(w access.Word) {
	addr, _, _ := w.Cut(',')
	name, rest, ok := addr.Cut(':')
	if !ok {
		v.path(kind{base: kGuess, modes: access.Kinds(access.Read | access.Write)}, addr)
		return
	}
	n, _ := name.Lit()
	switch n = strings.ToUpper(n); {
	case n == "EXEC" || n == "SYSTEM" || n == "SHELL":
		_, text, _ := w.Cut(':')
		v.g.Shell("sh", text, nil)
	case strings.HasPrefix(n, "UNIX") || strings.HasPrefix(n, "ABSTRACT") || n == "OPEN" || n == "CREATE" || n == "CREAT" || n == "FILE" || n == "GOPEN" || n == "PIPE" || n == "FIFO" || n == "VSOCK" || n == "INTERFACE":
		v.path(kind{modes: access.Kinds(access.Read | access.Write)}, rest)
	}
}

// pkg is a package as npm names it: a folder or archive if it begins with a
// slash, a dot or a tilde, or says file: (npm-install(1)).
func (v valuer) pkg(w access.Word) {
	for _, prefix := range []string{"file:", "link:", "portal:"} {
		if w.HasPrefix(prefix) {
			if url, ok := fileURL(w); ok {
				v.path(kind{}, url)
			} else {
				v.path(kind{}, w.From(len(prefix)))
			}
			return
		}
	}
	p, known := w.Prefix()
	if p == "" && !known || strings.HasPrefix(p, "/") || strings.HasPrefix(p, ".") || strings.HasPrefix(p, "~") || strings.Contains(p, "/../") {
		v.path(kind{}, w)
	}
}

// pipPackage is a requirement of pip: NAME[extra]==1, NAME @ URL, a URL, or a
// folder or archive. Only what holds a slash or begins with a dot is a path
// (pip install: "local project path").
func (v valuer) pipPackage(w access.Word) {
	if _, url, ok := w.Cut('@'); ok {
		if p, known := url.Prefix(); known && strings.HasPrefix(strings.TrimSpace(p), "file:") {
			file, _ := fileURL(access.Text(strings.TrimSpace(p)))
			file.Start, file.End = url.Start, url.End
			v.path(kind{}, file)
			return
		}
	}
	if url, ok := fileURL(w); ok {
		v.path(kind{}, url)
		return
	}
	p, known := w.Prefix()
	if scheme.MatchString(strings.TrimPrefix(p, "git+")) || strings.Contains(p, "+http") || strings.Contains(p, "+ssh") || strings.Contains(p, " @ ") {
		return
	}
	w, _, _ = w.Cut('[') // extras
	if p == "" && !known || strings.Contains(p, "/") || strings.HasPrefix(p, ".") || strings.HasPrefix(p, "~") {
		v.path(kind{}, w)
	}
}

// linker is gcc's -Wl,A,B: options of ld with commas for blanks. Run paths are
// written into the program, not opened.
func (v valuer) linker(w access.Word) {
	last := ""
	for _, part := range splitAt(w, ',') {
		p, _ := part.Lit()
		switch {
		case p == "":
			if !part.Known() {
				guess(v, part)
			}
		case strings.HasPrefix(p, "-Map=") || strings.HasPrefix(p, "--Map="):
			v.path(kind{modes: access.Kinds(access.Write)}, part.From(strings.IndexByte(p, '=')+1))
		case strings.HasPrefix(p, "-rpath") || strings.HasPrefix(p, "--rpath"), strings.HasPrefix(p, "-soname"), strings.HasPrefix(p, "--dynamic-linker"), strings.HasPrefix(p, "-dynamic-linker"):
		case p[0] == '-':
			guess(v, part)
		case last == "-Map" || last == "--Map" || last == "-o":
			v.path(kind{modes: access.Kinds(access.Write)}, part)
		case strings.Contains(last, "rpath") || strings.Contains(last, "soname") || strings.Contains(last, "dynamic-linker") || strings.Contains(last, "install_name"):
		default:
			guess(v, part)
		}
		last = p
	}
}

package command

import (
	"strconv"

	"extdir/daemon/access"
	"extdir/daemon/command/facts"
)

// spec is what is known of one command or subcommand. A table holds thousands of
// specs and options: what few of them have stands behind a pointer.
type spec struct {
	place     place
	operandOf string // "operand of NAME", the name as first written
	opts      options
	usage     *usage // nil: no line says what the operands are
	whens     []when
	subs      map[string]*spec
	effects   []effect
	stdin     *kind // what standard input is when it is read as a program
	like      *like
	from      *spec // described together with others, apart from its subcommands
	// node is where the base table describes it, instead of opts and subs.
	node  *facts.Node
	parse parseMode
	// unknown is what values and operands are that the spec does not name.
	unknown unknownMode
	also    also // names it has besides those written
	extends bool
	final   bool // no layer above may describe it
	whole   bool // like and extend are carried out; not changed any more
	made    bool // on the way to a deeper subcommand, not described so far
}

const operandOf = "operand of "

func (s *spec) name() string { return s.operandOf[len(operandOf):] }

// usage says what the operands are.
type usage struct {
	place place
	slots []slot
}

// like is a line that says of which command the rest is as well.
type like struct {
	at   at
	name string
}

// parseMode is how the words of a command are told apart.
type parseMode uint16

const (
	parseStop     parseMode = 1 << iota // options end at the first operand
	parseStop2                          // ssh: options may stand before and after the first operand
	parseAssign                         // leading NAME=VALUE words are variables
	parseLongdash                       // long options have one dash
	parseDashes                         // one dash or two, all the same (Go's flag package)
	parseWords                          // a word with a dash is never a cluster
	parseKeyval                         // dd: KEY=VALUE operands
	parseBundle                         // tar, ar, ps: the first word may leave out its dash
	parseFind                           // find: paths, then an expression
)

var parseModes = map[string]parseMode{
	"stop": parseStop, "stop2": parseStop2, "assign": parseAssign, "longdash": parseLongdash, "dashes": parseDashes,
	"words": parseWords, "keyval": parseKeyval, "bundle": parseBundle, "find": parseFind,
}

type unknownMode uint8

const (
	unknownGuess unknownMode = iota // a path if it looks like an outside one
	unknownText
)

// place is a line of a spec file. The zero place is none.
type place struct {
	file *File
	line int // 0: no line of the file in particular
}

func (p place) String() string {
	switch {
	case p.file == nil:
		return ""
	case p.line == 0:
		return p.file.Name
	}
	return p.file.Name + ":" + strconv.Itoa(p.line)
}

// at is a place in a spec file.
type at struct {
	place
	col int
}

// slot is one operand of a usage, or one value of an option.
type slot struct {
	name string
	kind kind
	many bool
	opt  bool
}

// option is one line of options. All names of a line share it.
type option struct {
	place   place
	os      string // "" or the only system it exists on
	vals    []slot
	gives   string // names the operand that is absent once the option is there
	effects []effect
	arity   arity
	chdir   chdir
	start   bool // the value is relative to where the command began, whatever chdir stands before
}

// arity is how an option takes its value.
type arity uint8

const (
	arityFixed    arity = iota // attached or the next word
	arityAttached              // optional, so attached only
	arityEmpty                 // attached only, but an empty next word is taken too (sed -i '')
	arityUnsure                // attached, or the next word, or none: read both ways
)

type chdir uint8

const (
	chdirNone chdir = iota
	chdirAll        // everything the command names is relative to it
	chdirHere       // what follows is relative to it
)

// effect is what an option or a condition changes.
type effect struct {
	verb string // "written", "read", "run", "tree", "followed", "itself", "replaced", "writes", "loads", "self", "unjudged"
	slot string // for the first seven
	self access.SelfLevel
	why  string // or the path that is written or loaded
	kind kind   // of what is loaded
}

// when is a conditional usage or effect.
type when struct {
	all     []condition // every one must hold
	usage   *usage
	stdin   *kind
	effects []effect
}

// condition holds when one of its names is there: an option, or an operand by
// the name of its slot.
type condition struct {
	not    bool
	shell  bool // the operand is an interactive shell
	unseen bool // what stands in the file it names isn't known from the line
	names  []string
}

// try is an example out of a spec file.
type try struct {
	at   at
	line string
	want []string
}

// kind is what a word is.
type kind struct {
	base  base
	modes access.Kinds // for paths; 0 is read
	arg   string       // code(sed), sh(bash), command-until(;,+)
	elem  *kind        // list(path), at(file)
	keys  map[string]kind
}

type base uint8

const (
	kText        base = iota
	kFile             // a file
	kDir              // a directory, and its tree
	kPath             // either
	kTree             // either, and all below
	kHostPath         // [user@]host:path, URL, or a local path
	kFileURL          // file:// or a bare path that looks like one
	kPathOrURL        // a path unless it has a scheme
	kVol              // docker's source:target[:options]
	kKV               // KEY=VALUE,KEY=VALUE
	kSet              // one KEY=VALUE
	kKeyed            // the value for the key in the operand name, as the option in arg would take it
	kLinkTarget       // ln -s: relative to the folder of the link
	kAt               // @file
	kForm             // curl -F: name=@file, name=<file
	kEqFile           // awk: NAME=VALUE, or a file
	kEqGuess          // make: NAME=VALUE, or text
	kRefPath          // a revision or a path
	kList             // a:b:c
	kGuess            // a path if it looks like one outside
	kSh               // text for a shell
	kShArg            // $0 $1 … of the text before
	kCode             // text for the language in arg
	kCommand          // the rest is a command
	kUntil            // a command that ends at one of the words in arg
	kParallel         // GNU parallel's command and :::
	kWords            // text that is split and read again as words of this command
	kRemote           // a command on other ground
	kProcess          // a pattern of process names
	kModule           // python -m
	kFlags            // option words in one string, as of NODE_OPTIONS
	kURLEncode        // curl --data-urlencode: [name]@file
	kCookie           // curl -b: NAME=VALUE or a file
	kSocat            // an address of socat
	kHTTPItem         // httpie: name@file, name=@file, name:=@file
	kPackage          // npm: a folder, an archive, or a name in a registry
	kPipPackage       // pip: a requirement, a URL, a folder or archive
	kLinker           // gcc -Wl,A,B
	kCMakeVar         // cmake -D NAME[:TYPE]=VALUE
	kTarget           // bazel: //pkg:target is none, the rest may be a path
	kGoPackage        // go: an import path or pattern, a path if it begins with . or /
	kJarAgent         // java -javaagent: FILE=OPTIONS
	kFilterGraph      // ffmpeg: movie=, subtitles=, … name files
	kMagick           // ImageMagick: [FORMAT:]FILE, or a made image
	kAWSFile          // file://, fileb://, or a path
	kS3Path           // s3:// and the like, or a path
	kRepo             // git: URL, host:path, the name of a remote, or a path
	kProse            // what is said; a single word may be a path
	kSwitch           // /name or /name:value of a program from Windows, or a path
	kNames            // text that names files, one a line or ended by NUL
	kXargs            // xargs: a command whose last words come from standard input
)

var baseNames = map[string]base{
	"text": kText, "file": kFile, "dir": kDir, "path": kPath, "tree": kTree, "hostpath": kHostPath,
	"fileurl": kFileURL, "pathorurl": kPathOrURL, "vol": kVol, "kv": kKV, "set": kSet, "keyed": kKeyed, "linktarget": kLinkTarget, "at": kAt,
	"form": kForm, "eqfile": kEqFile, "eqguess": kEqGuess, "refpath": kRefPath, "list": kList,
	"guess": kGuess, "sh": kSh, "sharg": kShArg, "code": kCode, "command": kCommand,
	"command-until": kUntil, "parallel": kParallel, "words": kWords, "remote": kRemote,
	"process": kProcess, "module": kModule, "xargs": kXargs, "names": kNames, "flags": kFlags, "urlencode": kURLEncode, "cookie": kCookie, "socat": kSocat, "httpitem": kHTTPItem, "package": kPackage, "awsfile": kAWSFile, "s3path": kS3Path, "repo": kRepo, "switch": kSwitch, "prose": kProse, "gopkg": kGoPackage, "jaragent": kJarAgent, "pippkg": kPipPackage, "linker": kLinker, "cmakevar": kCMakeVar, "target": kTarget,
}

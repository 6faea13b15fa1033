package lang

import (
	"slices"

	"extdir/daemon/access"
)

// readers is every language by the name that specs use.
var readers = map[string]Reader{
	"jq":  readJq,  // a jq program
	"yq":  readYq,  // an expression of yq
	"gdb": readGdb, // commands of gdb -ex and command files

	"sshoption":     readSSHOption,     // the value of ssh -o
	"sshconfig":     readSSHConfig,     // the text of ssh -F
	"gitconfig":     readGitConfig,     // a configuration file of git
	"npmscripts":    readNPMScripts,    // package.json: npm run
	"npminstall":    readNPMInstall,    // package.json: npm install
	"compose":       readCompose,       // docker-compose.yml
	"sftp":          readSFTP,          // commands of sftp
	"foreign":       readForeign,       // a language that isn't read
	"constants":     readConstants,     // source text: the strings in it
	"patch":         readPatch,         // a patch: the files it changes
	"curlconfig":    readCurlConfig,    // the text of curl -K
	"tarcheckpoint": readTarCheckpoint, // tar --checkpoint-action
	"rsyncfilter":   readRsyncFilter,   // rsync -f RULE
	"opensslpass":   readOpenSSLPass,   // openssl -pass, -passin, -passout
	"gitpathspec":   readGitPathspec,   // a pathspec of git
	"gitalias":      readGitAlias,      // the value of git -c alias.NAME
	"make":          readMake,          // a makefile: make --eval, make -f -
	"m4":            readM4,            // text for m4
	"cinclude":      readCInclude,      // C text: the files it includes
	"magick":        readMagick,        // an image operand of ImageMagick
	"ffmpegfilter":  readFfmpegFilter,  // ffmpeg -vf, -af, -filter_complex, -f lavfi -i

	"vim":         readVim,    // Ex commands of vim, ex, vi, nvim: -c, +CMD, a script
	"elisp":       readElisp,  // Emacs Lisp: emacs --eval
	"ed":          readEd,     // a script of ed on standard input
	"less":        readLess,   // what follows + in less, more, man
	"sql":         readSQL,    // SQL statements of no known server
	"sqlite":      readSqlite, // sqlite3: SQL and dot commands
	"psql":        readPsql,
	"mysql":       readMysql,
	"duckdb":      readDuckdb,
	"filequery":   readFileQuery,       // SQL whose tables are files: octosql, q
	"sed":         readSed,             // a sed script: -e, -f text, the first operand
	"awk":         readAwk,             // an awk program
	"pytest":      python.reader(),     // a test file of pytest
	"python":      python.reader(),     // python -c, a script on standard input
	"ruby":        ruby.reader(),       // ruby -e
	"php":         php.reader(),        // php -r
	"lua":         lua.reader(),        // lua -e
	"R":           r.reader(),          // R -e, Rscript -e
	"tcl":         readTcl,             // tclsh and expect: -c, a script on standard input
	"applescript": readAppleScript,     // osascript -e
	"perl":        perl.reader(),       // perl -e, -ne, -pe
	"other":       readOther,           // a language without a reader: scala, elixir, julia, ghc, …
	"javascript":  javascript.reader(), // node -e, deno eval, bun -e; TypeScript
}

// Lookup finds the reader of a language.
func Lookup(name string) (Reader, bool) {
	r, ok := readers[name]
	if !ok {
		return nil, false
	}
	return func(program access.Word, h Host) {
		n := 0
		for _, s := range program.Segs {
			n += len(s.Text) + 1
		}
		if n > maxProgram {
			h.Unknown(name + " program too long to read")
			return
		}
		r(program, h)
	}, true
}

// Names lists the languages in order.
func Names() []string {
	names := make([]string, 0, len(readers))
	for n := range readers {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func init() {
	scripts = map[string]Reader{"python": python.reader(), "perl": perl.reader(), "ruby": ruby.reader(), "lua": lua.reader(), "tcl": readTcl}
}

package draft

import (
	"strings"
	"testing"
)

// Help texts in the styles of the libraries that print them.
var styles = []struct {
	name, help string
	words      []string
	want       []string // lines, without comments
}{
	{
		name: "GNU", words: []string{"deploy"},
		help: "Usage: deploy [OPTION]... SOURCE DEST\n  or:  deploy -l\n\n  -c, --config=FILE      read FILE\n      --color[=WHEN]     colour\n  -n, --retries=N        try N times\n  -v, --verbose          say more\n",
		want: []string{"usage <source:path> <dest:path/w>", "-c, --config <path>", "--color [=text]", "-n, --retries <text>", "-v, --verbose"},
	},
	{
		name: "argparse", words: []string{"deploy"},
		help: "usage: deploy [-h] [-o FILE] [--level {a,b}] src [src ...]\n\npositional arguments:\n  src\n\noptions:\n  -h, --help            show this help message and exit\n  -o FILE, --output FILE\n                        where to write\n  --level {a,b}         how much\n",
		want: []string{"usage <src:path>...", "-h, --help", "-o, --output <path/w>", "--level <text>"},
	},
	{
		name: "argparse subcommands", words: []string{"deploy"},
		help: "usage: deploy [-h] {push,pull} ...\n\noptions:\n  -h, --help  show this\n",
		want: []string{"-h, --help", "sub push", "sub pull"},
	},
	{
		name: "cobra", words: []string{"deploy", "push"},
		help: "Push it.\n\nUsage:\n  deploy push [flags] FILE\n\nFlags:\n  -f, --file string      a file to push\n      --timeout duration   how long (default 5s)\n      --dry-run          only say\n\nGlobal Flags:\n      --context string   the name of the context\n",
		want: []string{"sub push", "usage <file:path>", "-f, --file <path>", "--timeout <text>", "--dry-run", "--context <guess>"},
	},
	{
		name: "cobra commands", words: []string{"deploy"},
		help: "Usage:\n  deploy [command]\n\nAvailable Commands:\n  push        Push it\n  pull        Pull it\n\nFlags:\n  -h, --help   help for deploy\n",
		want: []string{"-h, --help", "sub push", "sub pull"},
	},
	{
		name: "clap", words: []string{"deploy"},
		help: "Usage: deploy [OPTIONS] <INPUT> [OUTPUT]\n\nArguments:\n  <INPUT>   what\n\nOptions:\n  -d, --dir <DIR>        Working directory\n  -j, --jobs <N>         Jobs\n  -V, --version          Print version\n",
		want: []string{"usage <input:path> [output:path/w]", "-d, --dir <dir>", "-j, --jobs <text>", "-V, --version"},
	},
	{
		name: "click", words: []string{"deploy"},
		help: "Usage: deploy [OPTIONS] FILENAME\n\nOptions:\n  --out PATH          Where to.\n  --shout / --no-shout\n  --count INTEGER     How often.\n  --help              Show this message and exit.\n",
		want: []string{"usage <filename:path>", "--out <path/w>", "--shout, --no-shout", "--count <guess>", "--help"},
	},
	{
		name: "Go flag", words: []string{"deploy"},
		help: "Usage of deploy:\n  -addr string\n    \taddress to listen on\n  -n int\n    \thow many\n  -log-file string\n    \twhere to log\n  -v\tbe loud\n",
		want: []string{"parse dashes", "-addr <guess>", "-n <text>", "-log-file <path/w>", "-v"},
	},
	{
		name: "docopt", words: []string{"deploy"},
		help: "Deploy.\n\nUsage:\n  deploy [--speed=<kn>] <name>...\n  deploy --version\n\nOptions:\n  -h --help         Show this.\n  -o FILE --output=FILE  Where to.\n  --speed=<kn>      Speed in knots.\n",
		want: []string{"usage <name:guess>...", "-h, --help", "-o, --output <path/w>", "--speed <guess>"},
	},
	{
		name: "what could be misread", words: []string{"deploy", "run"},
		help: "Usage: deploy run [OPTIONS] IMAGE [COMMAND] [ARG...]\n\n  -v, --verbose...   More\n      --config <KEY=VALUE|PATH>  Set it\n      --when <never|always>  When\n  -amin N -anewer FILE -atime N -cmin N -cnewer FILE\n",
		want: []string{"sub run", "usage <image:guess> [command:guess] [arg:guess]...", "-v, --verbose", "--config <path>", "--when <text>"},
	},
	{
		name: "man", words: []string{"deploy"},
		help: "DEPLOY(1)\n\nNAME\n       deploy - deploy\n\nSYNOPSIS\n       d\x08de\x08ep\x08pl\x08lo\x08oy\x08y [-v] [-f file] target ...\n\nOPTIONS\n       -f file\n              Read this.\n\n       -v     Be loud.\n",
		want: []string{"usage <target:guess>...", "-f <path>", "-v"},
	},
}

func TestStyles(t *testing.T) {
	for _, s := range styles {
		t.Run(s.name, func(t *testing.T) {
			got, err := Of(s.words, s.help)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, l := range strings.Split(got, "\n") {
				l, _, _ = strings.Cut(l, "#")
				if l = strings.TrimSpace(l); l != "" && l != "deploy" {
					lines = append(lines, l)
				}
			}
			if strings.Join(lines, "\n") != strings.Join(s.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(s.want, "\n"))
			}
		})
	}
}

// TestNothing: a text that says nothing makes no empty spec.
func TestNothing(t *testing.T) {
	if got, err := Of([]string{"deploy"}, "no such option\n"); err == nil {
		t.Errorf("a spec was made of nothing:\n%s", got)
	}
}

// FuzzOf: whatever a help text says, the draft is a spec or there is none.
func FuzzOf(f *testing.F) {
	for _, s := range styles {
		f.Add(s.help)
	}
	f.Fuzz(func(t *testing.T, help string) {
		text, err := Of([]string{"deploy"}, help)
		if err != nil {
			return
		}
		if again, err := sound(text); err != nil || again != text {
			t.Errorf("the draft is no spec: %v\n%s", err, text)
		}
	})
}

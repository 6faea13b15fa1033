package command

import (
	"strings"
	"testing"

	"extdir/daemon/access"
)

type sample struct {
	line, want string
	os         string   // linux
	disk       []string // names that exist
}

func run(t *testing.T, samples []sample) {
	t.Helper()
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if s.os == "" {
			s.os = "linux"
		}
		if got := strings.Join(explain(t, table, s.os, s.line, s.disk...), " "); got != s.want {
			t.Errorf("%s (%s)\n\tgot  %s\n\twant %s", s.line, s.os, got, s.want)
		}
	}
}

// TestUnknownWords: an unknown word is an unknown access where a path stands,
// nothing where text stands, and never moves a path out of sight.
func TestUnknownWords(t *testing.T) {
	run(t, []sample{
		{line: `cat $x`, want: "?"},
		{line: `cat "$x"`, want: "?"},
		{line: `cat "/etc/$x"`, want: "r:/etc/*"},
		{line: `grep "$p" src`, want: ""},
		{line: `grep $p src`, want: ""},
		{line: `grep -e "$p" /etc/x`, want: "r:/etc/x"},
		{line: `grep -f "$p" src`, want: "?"},
		{line: `grep --file="$p" src`, want: "?"},
		{line: `grep -f$p src`, want: "?"},
		{line: `grep --regexp="$p" src`, want: ""},
		{line: `grep $opts /a /b`, want: "r:/a r:/b"},
		{line: `sd $x /a /b`, want: "r:/a w:/b"}, // $x may be two words
		{line: `sd "$x" /a /b`, want: "w:/b"},    // but not quoted
		{line: `git commit -m "$m"`, want: ""},
		{line: `git commit -m $m`, want: ""},
		{line: `tar -C "$d" -cf x.tar y`, want: "?"},
		{line: `tar -C /srv -cf x.tar "$y"`, want: "? r:/srv"},
		{line: `make -C "$d" all`, want: "?"},
		{line: `rm -rf "$d"/build`, want: "?"},
		{line: `dd of="$x" if=/dev/sda`, want: "? r:/dev/sda"},
		{line: `rsync -a "$host:/srv/" ./x`, want: ""},
		{line: `rsync -a "$src" ./x`, want: "?"},
		{line: `docker run -v "$PWD:/x" img`, want: "?"},
		{line: `docker run -e A="$x" img "$y"`, want: ""},
		{line: `echo "$x" $y`, want: ""},
		{line: `kill $pid`, want: ""},
		{line: `head -n $n src`, want: ""},
		{line: `head -$n src`, want: ""},
		{line: `unheard-of "$x"`, want: "?"},
		{line: `unheard-of --out="$x"`, want: "?"},
		{line: `sudo $cmd /etc/x`, want: "? r:/etc/x w:/etc/x"},
		{line: `env FOO="$x" cat y`, want: ""},
		{line: `sh -c "$x"`, want: "?"},
		{line: `python3 -c "$x"`, want: "?"},
		{line: `find "$d" -name x`, want: "?"},
		{line: `find . -name "$x"`, want: ""},
		{line: `xargs -I{} cp {} "$d" < x`, want: "?"},
	})
}

// TestOptions: the forms an option may take.
func TestOptions(t *testing.T) {
	run(t, []sample{
		{line: "cp --target-directory=/tmp a", want: "w:/tmp"},
		{line: "cp --target-directory /tmp a", want: "w:/tmp"},
		{line: "cp --target=/tmp a", want: "w:/tmp"},
		{line: "cp --targ /tmp a", want: "r:/tmp w:/tmp"}, // or a flag nobody named
		{line: "cp -t/tmp a", want: "w:/tmp"},
		{line: "cp -vt /tmp a", want: "w:/tmp"},
		{line: "cp -- -t /tmp", want: "w:/tmp"},
		{line: "ls --color /etc", want: "r:/etc"}, // an optional value is only attached
		{line: "ls --color=/etc", want: ""},
		{line: "head -5 /etc/x", want: "r:/etc/x"},
		{line: "sort -k2,2 -t/ -o/tmp/o a", want: "w:/tmp/o"},
		{line: "grep -rn -- -x /etc", want: "r:/etc"},
		{line: "grep --undeclared /no /etc/x", want: "r:/etc/x r:/no"},
		{line: "gcc -I/a -L/b -o/c d.c", want: "r:/a r:/b w:/c"},
		{line: "terraform -chdir=/a plan", want: "r:/a"},
		{line: "terraform --chdir=/a plan", want: "r:/a"},
		{line: "docker --new-option x run -v /a:/b:ro img", want: "r:/a"}, // x may be its value
		{line: "tar xf /a.tar", want: "r:/a.tar"},
		{line: "tar -cf /a.tar x", want: "w:/a.tar"},
		{line: "git -C /a -C b add c", want: "r:/a/b/c w:/a w:/a/b"},
		{line: "make -f x.mk -C /a", want: "x:/a x:/a/x.mk"},
		{line: "tar -cf x.tar -C /a b -C /c d", want: "r:/a r:/a/b r:/c r:/c/d"},
	})
}

// TestFallback: the words of a command nobody described. Shape never hides a path.
func TestFallback(t *testing.T) {
	run(t, []sample{
		{line: "unheard-of /etc/x ../y z", want: "r:../y r:/etc/x w:../y w:/etc/x"},
		{line: "unheard-of --opt=/a -X/b key=/c @/d file:///e", want: "r:/a r:/b r:/c r:/d r:/e w:/a w:/b w:/c w:/d w:/e"},
		{line: "unheard-of -I../a --opt=../b a/../../c", want: "r:../a r:../b r:../c w:../a w:../b w:../c"},
		{line: "unheard-of /a:/b:c x,/y", want: "r:/a r:/b r:/y w:/a w:/b w:/y"},
		{line: "unheard-of https://h/etc/x @scope/x a/b 10.0.0.0/8", want: ""},
		{line: "unheard-of unix:///run/x.sock --image=docker-archive:///y.tar http+unix://x/y", want: "r:/run/x.sock r:/y.tar w:/run/x.sock w:/y.tar"},
		{line: "unheard-of '/re[a-z]+/' '^/x$'", want: "r:/re[a-z]+ w:/re[a-z]+"},
		{line: "unheard-of link", want: "r:link w:link", disk: []string{"link"}},
		{line: "unheard-of /a:12", want: "r:/a:12 w:/a:12"},
		{line: "unheard-of ~/x", want: "r:~/x w:~/x"},
		{line: "unheard-of bob@host:/x bob@h:x host:/y", want: "r:/y w:/y"},
		// What is said of something that is there is no name of a file.
		{line: "unheard-of '/srv is full'", disk: []string{"/srv"}, want: ""},
		{line: "unheard-of '/srv is full'", want: "r:/srv is full w:/srv is full"},
		{line: "unheard-of '/srv is full'", disk: []string{"/srv", "/srv is full"}, want: "r:/srv is full w:/srv is full"},
		{line: "unheard-of '/srv full'", disk: []string{"/srv"}, want: "r:/srv full w:/srv full"},
		{line: "unheard-of '/bin/cat x /etc/x' '/bin/rm -r x'", disk: []string{"/bin/cat", "/bin/rm"}, want: "r:/bin/cat x /etc/x r:/bin/rm -r x w:/bin/cat x /etc/x w:/bin/rm -r x"},
	})
}

// TestSystems: what one option means depends on the system.
// TestNames: what the name of an option nobody described tells of its value.
func TestNames(t *testing.T) {
	run(t, []sample{
		{line: `unheard-of --title '/srv is full' /x`, want: "r:/x w:/x"},
		{line: `unheard-of --title=/x /y`, want: "r:/y w:/y"},
		{line: `unheard-of --title /x`, want: "r:/x w:/x"}, // it may be a flag
		{line: `unheard-of --title x '/a b'`, want: "r:/a b w:/a b"},
		{line: `unheard-of --body '/srv is full'`, want: ""},
		{line: `unheard-of --body=/x`, want: "r:/x w:/x"},
		{line: `unheard-of -m '/srv is full'`, want: "r:/srv is full w:/srv is full"},
		{line: `unheard-of --title="$x" --title "$x"`, want: "?"},
		// A client of a service: what its spec doesn't name is text.
		{line: `kubectl get x --like /y`, want: ""},
		{line: `kubectl get x --log-file /y --newdir=../z`, want: "r:../z r:/y"},
		{line: `kubectl get x --configuration-file "$y"`, want: "?"},
		// Lists and places.
		{line: `unheard-of -v src/../../a:b`, want: "r:../a:b w:../a:b"},
		{line: `unheard-of x:src/../../a`, want: "r:../a w:../a"},
		{line: `unheard-of -out:../x -out:x/y`, want: "r:../x w:../x"},
	})
}

func TestSystems(t *testing.T) {
	run(t, []sample{
		{line: "sed -i '' s/a/b/ /x", want: "w:/x", os: "darwin"},
		{line: "sed -i .bak '/re/d' /x", want: "w:/x", os: "darwin"},
		{line: "sed -i '/re/d' /x", want: "w:/x", os: "linux"},
		{line: "sed -i '' '/re/d' /x", want: "w:/x", os: "linux"},
		// GNU sed takes '' for an empty script and rewrites both files.
		{line: "sed -i '' /etc/a /etc/b", want: "w:/etc/a w:/etc/b", os: "linux", disk: []string{"/etc/a"}},
		{line: "base64 -i /a -o /b", want: "r:/a w:/b", os: "darwin"},
		{line: "base64 -i /a", want: "r:/a", os: "linux"},
		{line: "stat -f %z /a", want: "r:/a", os: "darwin"},
		{line: "stat -f /a", want: "r:/a", os: "linux"},
	})
}

// TestPeeling: wrappers hand on what they run, in the place where they run it.
func TestPeeling(t *testing.T) {
	run(t, []sample{
		{line: "sudo -u bob env -C /w A=b nice -n 5 timeout -k 1 5 cat x", want: "r:/w r:/w/x"},
		{line: "nohup nice setsid stdbuf -oL rm /x", want: "w:/x"},
		{line: "sudo /opt/x /y", want: "r:/y w:/y x:/opt/x"},
		{line: "bash -c 'cat \"$0\" $1' /a /b", want: "r:/a r:/b"},
		{line: "xargs -a /l", want: "r:/l"},
		{line: "echo '/a /b' | xargs -n 1 rm", want: "w:/a w:/b"},
		{line: "echo \"'/a b'\" | xargs rm", want: "w:/a b"},
		{line: "echo x | xargs -I % sh -c 'cat /etc/%'", want: "r:/etc/x"},
		{line: `cat l | xargs -I {} cp /src/{'}' .`, want: "r:/src/*"},
		{line: "cat l | xargs -I % cp /src/% .", want: "r:/src/*"},
		{line: "find /a /b -exec rm {} +", want: "r:/a r:/b w:/a w:/b"},
		{line: "fd x -x cp {} /dst/{/}", want: "w:/dst/*"},
		{line: "ssh h 'cat /etc/x'", want: ""},
		{line: "docker exec c cat /etc/x", want: ""},
		{line: "python3 <<'E'\nopen('/etc/x')\nE", want: "r:/etc/x"},
		{line: "sh <<'E'\ncat /etc/x\nE", want: "r:/etc/x"},
	})
}

// TestPatternFirst: the examples of a seed's plan for commands that take a
// pattern or script first, with the limitations it lists lifted.
func TestPatternFirst(t *testing.T) {
	run(t, []sample{
		{line: `sed -i '' '/source: "tool",/{/origin:/!s/source: "tool",/source: "tool",\n      origin: "builtin",/;}' tests/a.test.ts`, want: ""},
		{line: "sed 's/foo/bar/g' /etc/hosts", want: "r:/etc/hosts"},
		{line: "sed -e 's/foo/bar/' /etc/hosts", want: "r:/etc/hosts"},
		{line: "sed -n 's/foo/bar/p' /etc/hosts", want: "r:/etc/hosts"},
		{line: "sed -f /scripts/x.sed input", want: "r:/scripts/x.sed"},
		{line: "sed -ni '/x/d' /etc/hosts", want: "w:/etc/hosts"},
		{line: "sed -i 's/foo/bar/' /etc/hosts", want: "w:/etc/hosts"},
		{line: "grep '/etc/' /var/log/syslog", want: "r:/var/log/syslog"},
		{line: "grep -e '/etc/' /var/log/syslog", want: "r:/var/log/syslog"},
		{line: "grep --regexp=/etc/ --file=/p /var/log/syslog", want: "r:/p r:/var/log/syslog"},
		{line: "grep -inA 3 /etc/ /var/log/syslog", want: "r:/var/log/syslog"},
		{line: "awk '{print}' /etc/passwd", want: "r:/etc/passwd"},
		{line: "awk -F: '/root/ {print $1}' /etc/passwd", want: "r:/etc/passwd"},
		{line: "awk -F : -v x=/no '{print $1}' /etc/passwd", want: "r:/etc/passwd"},
		{line: "rg '/usr/local' /etc/profile.d/", want: "r:/etc/profile.d"},
		{line: "rg -e '/usr/local' /etc/profile.d/", want: "r:/etc/profile.d"},
		{line: "sd '/usr/local/bin' '/opt/bin' /etc/profile", want: "w:/etc/profile"},
		{line: "some-tool /etc/hosts", want: "r:/etc/hosts w:/etc/hosts"},
		{line: "/usr/bin/sed '/x/d' /etc/hosts", want: "r:/etc/hosts x:/usr/bin/sed"},
		{line: "sed -- '/x/d' /etc/hosts", want: "r:/etc/hosts"},
	})
}

// TestVariables: giving a program a variable is an access where programs open its value.
func TestVariables(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, value, want string }{
		{"LD_PRELOAD", "/a.so:/b.so", "e:/a.so e:/b.so"},
		{"PATH", "/a:b:/c", "r:/a r:/c"},
		{"KUBECONFIG", "/a", "r:/a"},
		{"CARGO_TARGET_DIR", "../t", "w:../t"},
		{"NODE_OPTIONS", "--require=/a.js --max-old-space-size=4", "r:/a.js"},
		{"GOFLAGS", "-overlay=/o -mod=mod", "r:/o"},
		{"GIT_SSH_COMMAND", "ssh -i /k", "r:/k"},
		{"EDITOR", "vi", ""},
		{"FOO", "/etc/passwd", ""},
	} {
		b := &book{table: table, os: "linux", got: map[string]bool{}}
		table.Assign(c.name, access.Text(c.value), exampleGround{book: b})
		if got := strings.Join(sortedKeys(b.got), " "); got != c.want {
			t.Errorf("%s=%s\n\tgot  %s\n\twant %s", c.name, c.value, got, c.want)
		}
	}
}

var lines = []string{
	"sudo -u bob tar -czf /tmp/x.tgz --exclude node_modules -C /srv app",
	"git -C ../x commit -am 'fix /etc/x' --author 'a <b>'",
	"grep -rn --include '*.go' -e /etc/ src /var/log",
	"docker run --rm -it -v /a:/b:ro -e A=b --name x img cat /etc/passwd",
	"find . -name '*.go' -newer /ref -exec grep foo {} +",
	"curl -sSLo /tmp/x -H 'A: b' -d @/body.json https://h/x",
	"kubectl -n x get pods -o jsonpath={.items}",
	"sed -i s/a/b/ ../x",
	"npm run build -- --out ../x",
	"unheard-of --opt=/a -X/b key=/c file:///d x:/y",
}

func BenchmarkRun(b *testing.B) {
	table, err := Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range lines {
		argv := splitBlanks(access.Text(line))
		b.Run(strings.Fields(line)[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				table.Run(argv, nowhere{table})
			}
		})
	}
}

func BenchmarkBuiltin(b *testing.B) {
	size := int64(0)
	for _, f := range builtinFiles {
		size += int64(len(f.Text))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (&Table{base: true}).over(builtinFiles, true); err != nil {
			b.Fatal(err)
		}
	}
}

// nowhere is a ground that keeps nothing.
type nowhere struct{ table *Table }

func (nowhere) Path(Path)                                  {}
func (n nowhere) In(access.Word) Ground                    { return n }
func (n nowhere) With(string, access.Word) Ground          { return n }
func (n nowhere) Run(argv []access.Word)                   { n.table.Run(argv, n) }
func (nowhere) Shell(string, access.Word, []access.Word)   {}
func (nowhere) Unknown(access.Word, string)                {}
func (nowhere) Self(access.SelfLevel, access.Word, string) {}
func (nowhere) Stdin() (access.Word, bool)                 { return access.Word{}, false }
func (nowhere) Stat(access.Word) (exists, dir bool)        { return false, false }
func (nowhere) Var(string) (access.Word, bool)             { return access.Word{}, false }
func (nowhere) OS() string                                 { return "linux" }

// TestMultipliers: commands that run others many times don't multiply each other.
func TestMultipliers(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Repeat("a\n", 64)
	for _, line := range []string{
		"xargs -I% xargs -I% xargs -I% xargs -I% xargs -I% cat % <<'E'\n" + names + "E",
		"xargs -I% sh -c 'xargs -I% sh -c \"xargs -I% cat %\"' <<'E'\n" + names + "E",
		"parallel parallel parallel parallel cat ::: " + strings.Repeat("a ", 64) + " ::: b",
		"find " + strings.Repeat("a ", 64) + "-exec sh -c 'find " + strings.Repeat("a ", 64) + "-exec sh -c \"find " + strings.Repeat("a ", 64) + "-exec ls {} +\" +' +",
	} {
		c := new(counter)
		if err := (exampleGround{book: &book{table: table, os: "linux", got: map[string]bool{}, runs: c}}).shell(line, nil); err != nil {
			t.Fatal(err)
		}
		if c.n > 1000 {
			t.Errorf("%.60s…: %d commands", line, c.n)
		}
	}
}

func FuzzRun(f *testing.F) {
	table, err := Builtin()
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range lines {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) > 400 {
			return
		}
		argv := splitBlanks(access.Text(line))
		for i := range argv {
			if text, _ := argv[i].Lit(); strings.Contains(text, "$") { // an unknown part
				a, b, _ := argv[i].Cut('$')
				argv[i] = a.Concat(access.Unknowable(access.Any, 0, 0)).Concat(b)
			}
		}
		table.Run(argv, exampleGround{book: &book{table: table, os: "linux", got: map[string]bool{}}})
	})
}

package analyze

import (
	"strings"
	"testing"
)

// writeWays put a text into the file F, which a program runs afterwards. ⏎TEXT is
// the text in lines of its own, 'TEXT' the text in quotes.
var writeWays = []string{
	"cat > F <<'E__'⏎TEXT⏎E__",
	"tee F <<'E__' >/dev/null⏎TEXT⏎E__",
	"printf '%s\\n' 'TEXT' > F",
	"echo 'TEXT' | cat > F",
	"echo 'TEXT' | tee other F >/dev/null",
	"{ : ; cat; } > F <<'E__'⏎TEXT⏎E__",
	"w() { cat > \"$1\"; }; w F <<'E__'⏎TEXT⏎E__",
	": > F; cat >> F <<'E__'⏎TEXT⏎E__",
	"cat > other <<'E__'⏎TEXT⏎E__⏎mv other F",
	"cat > other <<'E__'⏎TEXT⏎E__⏎cp other F",
	"cat > other <<'E__'⏎TEXT⏎E__⏎ln -sf other F",
	"cat > other <<'E__'⏎TEXT⏎E__⏎install -m 755 other F",
	"(cat > F <<'E__'⏎TEXT⏎E__⏎)",
	"v=$(cat <<'E__'⏎TEXT⏎E__⏎); printf '%s\\n' \"$v\" > F",
	"if true; then cat > F <<'E__'⏎TEXT⏎E__⏎fi",
	"for i in 1; do cat > F <<'E__'⏎TEXT⏎E__⏎done",
	"bash -c 'cat > F' <<'E__'⏎TEXT⏎E__",
	"exec 5>&1; cat > F <<'E__'⏎TEXT⏎E__⏎chmod +x F",
}

// runWays run the file F with the interpreter RUN.
var runWays = []string{
	"RUN F", "RUN ./F", "RUN F a b", "RUN \"$PWD/F\"", "cd sub && RUN ../F", "env RUN F", "timeout 9 RUN F", "nohup RUN F &",
	"RUN < F", "cat F | RUN", "bash -c 'RUN F'", "find . -maxdepth 0 -exec RUN F \\;", "echo F | xargs RUN", "f() { RUN \"$@\"; }; f F",
	"x=F; RUN $x", "RUN F > out.txt 2>&1", "if RUN F; then :; fi", "y=$(RUN F)", "RUN F | tail -3",
}

var ranPrograms = []struct{ run, file, one, finds string }{
	{"bash", "t.sh", "cat /etc/passwd; rm /etc/hosts", "r /etc/passwd, w /etc/hosts"},
	{"sh", "t", `for f in passwd; do cat "/etc/$f"; done`, "r /etc/passwd"},
	{"python3", "t.py", `import os; os.remove("/etc/hosts"); open("/etc/passwd")`, "r /etc/passwd, w /etc/hosts"},
	{"python3", "t.py", `import subprocess; subprocess.run(["cat", "/etc/passwd"])`, "r /etc/passwd"},
	{"node", "t.js", `require("fs").readFileSync("/etc/passwd"); require("fs").rmSync("/etc/hosts")`, "r /etc/passwd, w /etc/hosts"},
	{"ruby", "t.rb", `File.read("/etc/passwd"); File.delete("/etc/hosts")`, "r /etc/passwd, w /etc/hosts"},
	{"perl", "t.pl", `open(F, "<", "/etc/passwd"); unlink "/etc/hosts";`, "r /etc/passwd, w /etc/hosts"},
	{"lua", "t.lua", `io.open("/etc/passwd"); os.remove("/etc/hosts")`, "r /etc/passwd, w /etc/hosts"},
}

// However a line writes a program and runs it, what the program does is found, and
// nothing else.
func TestWrittenWays(t *testing.T) {
	a := analyzer(t, world(t))
	for _, p := range ranPrograms {
		// The program's own letters stay as they are.
		fill := func(way string) string {
			way = strings.ReplaceAll(way, "TEXT", "\x00")
			way = strings.NewReplacer("⏎", "\n", "RUN", p.run, "F", p.file).Replace(way)
			return strings.ReplaceAll(way, "\x00", p.one)
		}
		for i, write := range writeWays {
			for j, run := range runWays {
				// All ways to write with some to run, and the other way round.
				if i > 2 && j > 2 && (i+j)%5 != 0 {
					continue
				}
				line := fill(write) + "\n" + fill(run)
				for _, shell := range []string{"bash", "zsh"} {
					r := request(line)
					r.Shell = shell
					if got := found(a.Analyze(r)); got != p.finds {
						t.Errorf("%s: %s\n\tgot  %s\n\twant %s", shell, line, got, p.finds)
					}
				}
			}
		}
	}
}

package frame

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const home = "/home/u"

// Shapes seen of each host, ‹› where the agent's words stand. The first two lines of
// claude are the oldest and the newest version.
var shapes = map[string][]string{
	"claude": {
		`source /home/u/.claude/shell-snapshots/snapshot-bash-1732798268349-nr1qn9.sh && shopt -u extglob 2>/dev/null || true && eval ‹› \< /dev/null && pwd -P >| /tmp/claude-fc4d-cwd`,
		`source /home/u/.claude/shell-snapshots/snapshot-zsh-1790115649235-dx672s.sh 2>/dev/null || true && setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true && { \builtin unalias -- 'unsetenv'; \builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval ‹› < /dev/null && pwd -P >| /tmp/claude-ccfa-cwd`,
		`source /home/u/.claude/shell-snapshots/snapshot-bash-1764912682391-862f45.sh && { shopt -u extglob || setopt NO_EXTENDED_GLOB; } 2>/dev/null || true && eval ‹› < /dev/null && pwd -P >| /tmp/claude-e959-cwd`,
		`source /home/u/.claude/shell-snapshots/snapshot-bash-1764912682391-862f45.sh 2>/dev/null || true && { shopt -u extglob || setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL; } >/dev/null 2>&1 || true && eval ‹› && pwd -P >| /tmp/claude-e959-cwd`,
		`source /home/u/.claude/shell-snapshots/snapshot-zsh-1764912682391-862f45.sh 2>/dev/null || true && setopt NO_EXTENDED_GLOB 2>/dev/null || true && eval ‹› < /dev/null && pwd -P >| /tmp/claude-e959-cwd`,
		`source /home/u/.claude/shell-snapshots/snapshot-bash-1764912682391-862f45.sh && eval ‹› < /dev/null && pwd -P >| /var/folders/ab/T/claude-e959-cwd`,
		"source /home/u/.claude/shell-snapshots/snapshot-bash-1764912682391-862f45.sh 2>/dev/null || true && export A=1\nexport B='two words' C=\"three\"\n: && shopt -u extglob 2>/dev/null || true && eval ‹› < /dev/null && pwd -P >| /tmp/claude-e959-cwd",
		"source /home/u/.claude/shell-snapshots/snapshot-bash-1764912682391-862f45.sh 2>/dev/null || true && export A=1 && shopt -u extglob 2>/dev/null || true && eval ‹› < /dev/null && pwd -P >| /tmp/claude-e959-cwd",
	},
	"codex": {
		"if . '/home/u/.codex/shell_snapshots/0199-ab.sh' >/dev/null 2>&1; then :; fi\n\nexec '/bin/zsh' -c ‹›",
		"if . '/home/u/.codex/shell_snapshots/0199-ab.1790115649.sh' >/dev/null 2>&1; then :; fi\n\nexec '/usr/bin/bash' -c ‹›",
	},
}

var words_ = []string{
	"ls", "cat /etc/hosts", `grep -n 'it'"'"'s' a`, "a && b || c; d", "cat <<'E'\nx 'y' \"z\"\nE", "echo $HOME `pwd` \\", "''", "for f in *; do\n  cat \"$f\"\ndone",
	"ls }; cat /etc/x; {", "x # y",
}

func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }

func at() Place { return Place{Home: home, TmpDir: "/var/folders/ab/T"} }

func TestShapes(t *testing.T) {
	for agent, list := range shapes {
		for _, shape := range list {
			for _, w := range words_ {
				line := strings.Replace(shape, "‹›", single(w), 1)
				inner, vars := Inner(agent, line, at())
				if inner != w {
					t.Errorf("%s\n\tthe words are %q, not %q", line, w, inner)
				}
				if want := map[string]string{"A": "1", "B": "two words", "C": "three"}; strings.Contains(shape, "\n:") && !maps.Equal(vars, want) {
					t.Errorf("%s\n\tsets %v", line, vars)
				}
				// The other way of quoting.
				line = strings.Replace(shape, "‹›", "'"+strings.ReplaceAll(w, "'", `'\''`)+"'", 1)
				if inner, _ := Inner(agent, line, at()); inner != w {
					t.Errorf("%s\n\tthe words are %q, not %q", line, w, inner)
				}
				for _, other := range []string{"", "pi", "nobody"} {
					if inner, _ := Inner(other, line, at()); inner != line {
						t.Errorf("%s takes the frame of %s off", other, agent)
					}
				}
			}
		}
	}
}

func TestGemini(t *testing.T) {
	for _, head := range []string{"", "shopt -u promptvars nullglob extglob nocaseglob dotglob; "} {
		frame := head + "{ %s }; __code=$?; pgrep -g 0 >/tmp/shell_pgrep_94c442b09777.tmp 2>&1; exit $__code;"
		for words, inner := range map[string]string{
			"ls;": "ls", "cat /etc/hosts;": "cat /etc/hosts", "a && b; c;": "a && b; c", "npm start &": "npm start &",
			"{ ls; };": "{ ls; }", "echo '}; x';": "echo '}; x'", "cat <<E\nx\nE\n": "cat <<E\nx\nE",
		} {
			line := fmt.Sprintf(frame, words)
			if got, _ := Inner("gemini", line, at()); got != inner {
				t.Errorf("%s\n\tthe words are %q, not %q", line, inner, got)
			}
		}
		for _, words := range []string{
			"ls }; cat /etc/x; {", "ls; }; cat /etc/x; { :;", "ls; } > /etc/x; { :;", "ls; } & { :;", "cat <<E;", "ls; } || { cat /etc/x;", "",
		} {
			line := fmt.Sprintf(frame, words)
			if got, _ := Inner("gemini", line, at()); got != line {
				t.Errorf("%s\n\tis no frame, but %q is taken out of it", line, got)
			}
		}
		line := fmt.Sprintf(frame, "ls;")
		spoilt(t, "gemini", line, []string{
			"/tmp/shell_pgrep_94c442b09777.tmp → /etc/shell_pgrep_94c442b09777.tmp",
			"/tmp/shell_pgrep_94c442b09777.tmp → /tmp/x", "/tmp/shell_pgrep_94c442b09777.tmp → /tmp/../etc/shell_pgrep_94c442b09777.tmp",
			"pgrep -g 0 → pgrep -g 1", "__code=$? → __code=$?; cat /etc/x", "__code=$? → __code=$(cat /etc/x)", "exit $__code; → exit $__code; cat /etc/x",
			"exit $__code → exit $(cat /etc/x)", "2>&1 → 2>/etc/x", "shopt -u → shopt -s",
		})
	}
}

// spoilt changes one place of a frame, after which it is none.
func spoilt(t *testing.T, agent, line string, changes []string) {
	t.Helper()
	for _, c := range changes {
		old, new, _ := strings.Cut(c, " → ")
		if !strings.Contains(line, old) {
			continue
		}
		bad := strings.Replace(line, old, new, 1)
		if got, _ := Inner(agent, bad, at()); got != bad {
			t.Errorf("%s (%s)\n\tis no frame, but %q is taken out of it", bad, c, got)
		}
	}
}

func TestSpoiltFrames(t *testing.T) {
	for agent, list := range shapes {
		for _, shape := range list {
			line := strings.Replace(shape, "‹›", "'ls'", 1)
			spoilt(t, agent, line, []string{
				"source → source /etc/x", "source → .", "/home/u/.claude → /home/v/.claude", "/home/u/.claude → /home/u/.claude/../.claude",
				"shell-snapshots/ → shell-snapshots/../", "shell-snapshots/ → shell-snapshots/a/", "snapshot-bash → snap", ".sh → .sh x",
				"2>/dev/null → 2>/etc/x", "2>/dev/null → 2>/dev/null <<<x", "|| true → || cat /etc/x", "|| true → || true && cat /etc/x",
				"shopt -u → shopt -s", "extglob → extglob nullglob", "setopt NO_EXTENDED_GLOB → setopt EXTENDED_GLOB",
				"-- 'unsetenv' → -- 'unsetenv' x", "-- 'unsetenv' → -- $(x)", "-f -- 'unsetenv' → -f -- 'cd'",
				"< /dev/null && → < /etc/shadow &&", "< /dev/null && → < /dev/null > x &&", "eval → eval x", "eval → eval --", "eval 'ls' → eval \"ls\"",
				"eval 'ls' → eval 'ls'$(x)", "eval 'ls' → eval $'ls'", "eval 'ls' → eval 'ls' 'x'", "eval 'ls' → eval 'ls' & eval 'ls'",
				"eval 'ls' → { eval 'ls'; }", "&& eval → || eval", "&& eval → ; eval", "&& pwd → ; pwd", "pwd -P → pwd", ">| → >", ">| → >>",
				"/tmp/claude- → /etc/claude-", "/tmp/claude- → /tmp/x/claude-", "-cwd → -cwd -cwd", "-cwd → -cwd; cat /etc/x", "-cwd → -cwd && cat /etc/x-cwd",
				"-cwd → -cwd &", "export A=1 → export A=$(x)", "export A=1 → export A=1 B", "export A=1 → export HOME=/etc", "export A=1 → export LD_PRELOAD=x",
				"export A=1 → declare -x A=1", "export A=1 → A=1", "\n: → \n:; x", "\n: → \ncat /etc/x", "export A=1 → export A=1; cat /etc/x",
				"if . → if source", "then :; → then x;", "; fi → ; else x; fi", "fi\n → fi; x\n", "/.codex/ → /.codex/../.codex/", ">/dev/null → >/etc/x",
				"exec → exec -a x", "exec → x; exec", " -c → -lc", "/bin/zsh → ./zsh", "/usr/bin/bash → /home/u/bash", "-c 'ls' → -c 'ls' x",
			})
			for _, more := range []string{"; cat /etc/x", "\ncat /etc/x", " && cat /etc/x-cwd", " # x\ncat y-cwd", " &", "\n"} {
				if got, _ := Inner(agent, line+more, at()); more != "\n" && got != line+more {
					t.Errorf("%s%s\n\tis no frame, but %q is taken out of it", line, more, got)
				}
			}
			if got, _ := Inner(agent, "cat /etc/x; "+line, at()); strings.HasSuffix(got, "ls") && !strings.HasPrefix(got, "cat") {
				t.Errorf("a command before %s is lost", line)
			}
		}
	}
}

// A file of the frame lies where the host puts it, or the frame is none.
func TestPlaces(t *testing.T) {
	line := strings.Replace(shapes["claude"][0], "‹›", "'ls'", 1)
	for _, p := range []Place{{}, {Home: "relative"}, {Home: "/"}, {Home: "/home"}, {Home: "/home/u/.claude"}} {
		if got, _ := Inner("claude", line, p); got != line {
			t.Errorf("%+v: %q", p, got)
		}
	}
	if got, _ := Inner("claude", line, Place{Home: home + "/"}); got != "ls" {
		t.Errorf("a slash behind home: %q", got)
	}
}

func FuzzInner(f *testing.F) {
	for _, agent := range slices.Sorted(maps.Keys(shapes)) {
		for _, s := range shapes[agent] {
			f.Add(agent, strings.Replace(s, "‹›", "'ls'", 1))
		}
	}
	f.Add("gemini", "{ ls; }; __code=$?; pgrep -g 0 >/tmp/shell_pgrep_94c442b09777.tmp 2>&1; exit $__code;")
	f.Fuzz(func(t *testing.T, agent, line string) {
		inner, vars := Inner(agent, line, at())
		if inner == line {
			return
		}
		// What is left out is the host's alone: short, and without the words.
		if agent != "gemini" && len(line)-len(single(inner)) > 1000+50*len(vars)+len(line)/2 {
			t.Errorf("%q leaves much of %q out", inner, line)
		}
	})
}

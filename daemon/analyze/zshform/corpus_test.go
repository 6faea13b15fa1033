package zshform

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"extdir/daemon/analyze/guard"
)

// Where zsh and its plugins keep functions.
var shelves = []string{
	"/usr/share/zsh/functions", "/usr/share/zsh/vendor-completions", "/usr/share/zsh/site-functions",
	"/usr/share/zsh-autosuggestions", "/usr/share/zsh-syntax-highlighting",
}

var (
	definition = regexp.MustCompile(`^(function +)?[A-Za-z0-9_.:-]+ *(\( *\))? *\{?$`)
	minimum    = 500
)

// snippets are the functions defined at the left margin of the files on the
// shelves, and the short files that are the body of one.
func snippets() (names, texts []string) {
	for _, shelf := range shelves {
		_ = filepath.WalkDir(shelf, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, ".zwc") {
				return nil //nolint:nilerr // a shelf that isn't there has nothing on it
			}
			data, err := os.ReadFile(path)
			if err != nil || strings.IndexByte(string(data), 0) >= 0 {
				return nil //nolint:nilerr
			}
			lines := strings.Split(string(data), "\n")
			found := false
			for i := 0; i < len(lines); i++ {
				if !definition.MatchString(strings.TrimRight(lines[i], " \t")) || !strings.ContainsAny(lines[i], "({") {
					continue
				}
				for j := i + 1; j < len(lines); j++ {
					if strings.TrimRight(lines[j], " \t") == "}" {
						names = append(names, path)
						texts = append(texts, strings.Join(lines[i:j+1], "\n")+"\n")
						found = true
						i = j
						break
					}
				}
			}
			if !found && len(lines) < 40 {
				names = append(names, path)
				texts = append(texts, string(data))
			}
			return nil
		})
	}
	return names, texts
}

// accepted are the texts that zsh can parse.
func accepted(t *testing.T, zsh string, texts []string) []bool {
	t.Helper()
	dir := t.TempDir()
	ok := make([]bool, len(texts))
	file := filepath.Join(dir, "text")
	for i, s := range texts {
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		ok[i] = exec.Command(zsh, "-fn", file).Run() == nil
	}
	return ok
}

// The share of real zsh that still can't be parsed.
func TestRate(t *testing.T) {
	zsh := realZsh(t)
	names, texts := snippets()
	ok := accepted(t, zsh, texts)
	all, before, after := 0, 0, 0
	left := map[string]int{}
	for i, s := range texts {
		if !ok[i] {
			continue
		}
		all++
		if _, err := guard.Parse(s, true, nil); err != nil {
			before++
		}
		if _, err := Parse(s, true, nil); err != nil {
			after++
			_, _, why := Rewrite(s)
			left[why]++
			if dbg {
				println("=====", names[i])
			}
			f, _ := rewrite(s, true)
			_, e2 := guard.Parse(f.Text, true, nil)
			if e, ok := e2.(*guard.Error); ok && e.Line > 0 {
				t.Logf("%s: %v: %v: %.150s", filepath.Base(names[i]), why, e2, strings.Split(f.Text+"\n", "\n")[e.Line-1])
			} else {
				t.Logf("%s: %v", filepath.Base(names[i]), err)
			}
		}
	}
	if all < minimum {
		if all == 0 {
			t.Skip("no zsh functions on this machine (apt install zsh-common)")
		}
		t.Errorf("only %d functions of %d asked for", all, minimum)
	}
	var whys []string
	for why, n := range left {
		whys = append(whys, strings.Repeat("#", n)+" "+why)
	}
	sort.Strings(whys)
	t.Logf("%d functions: %d not parsed as they are, %d in the long form\n%s", all, before, after, strings.Join(whys, "\n"))
}

func realZsh(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("zsh")
	why := "zsh isn't installed (apt install zsh, brew install zsh)"
	if err == nil {
		out, err := exec.Command(path, "--version").Output()
		if err == nil && strings.Contains(string(out), " 5.9") {
			return path
		}
		why = "zsh isn't version 5.9, which the tables describe (the first zsh on PATH)"
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

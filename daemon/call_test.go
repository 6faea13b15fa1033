package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCall(t *testing.T) {
	dir := t.TempDir()
	exe, other := filepath.Join(dir, "extdird"), filepath.Join(dir, "other")
	for _, name := range []string{exe, other} {
		must(t, os.WriteFile(name, nil, 0o700))
	}
	must(t, os.Symlink(exe, filepath.Join(dir, "link")))
	found := func(name string) func(string) (string, error) {
		return func(string) (string, error) {
			if name == "" {
				return "", errors.New("not found")
			}
			return name, nil
		}
	}
	for _, c := range []struct{ exe, found, dir, want string }{
		{exe, exe, "", "extdird"},
		{exe, filepath.Join(dir, "link"), "", "extdird"},
		{exe, "", "", exe},
		{exe, other, "", exe},
		{"", "", "", "extdird"},
		{exe, exe, "/tmp/d", "extdird --dir /tmp/d"},
		{"/opt/my tools/extdird", "", "/tmp/it's", `'/opt/my tools/extdird' --dir '/tmp/it'\''s'`},
	} {
		if got := (Place{Dir: c.dir}).call(c.exe, found(c.found)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

package analyze

import (
	"os"
	"path/filepath"
	"testing"
)

// What a command nobody described does with a word is reading and writing, unless the
// file's mode keeps the user from writing.
func TestClosed(t *testing.T) {
	defer func() { euid = os.Geteuid }()
	root := world(t)
	for name, mode := range map[string]os.FileMode{"etc/passwd": 0o644, "etc/hosts": 0o664, "etc": 0o755, "srv": 0o777} {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	a := analyzer(t, root)
	const other = 54321
	for _, tt := range []struct {
		uid        int
		line, want string
	}{
		{other, "unheard-of /etc/passwd", "r /etc/passwd"},
		{other, "unheard-of /etc/hosts", "r /etc/hosts, w /etc/hosts"}, // the group may be the user's
		{other, "unheard-of /etc/new", "r /etc/new"},
		{other, "unheard-of /srv/new", "r /srv/new, w /srv/new"},
		{other, "unheard-of /etc/p*", "r /etc/p*, w /etc/p*"},
		{other, "cp list.txt /etc/passwd", "w /etc/passwd"}, // said by its description
		{os.Geteuid(), "unheard-of /etc/passwd", "r /etc/passwd, w /etc/passwd"},
		{0, "unheard-of /etc/passwd", "r /etc/passwd, w /etc/passwd"},
	} {
		euid = func() int { return tt.uid }
		if got := found(a.Analyze(request(tt.line))); got != tt.want {
			t.Errorf("%d: %s: %s, want %s", tt.uid, tt.line, got, tt.want)
		}
	}
}

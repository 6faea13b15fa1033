package session

import (
	"os"
	"path/filepath"
	"testing"
)

// tree makes files below a new directory: "NAME/" a directory, else a file with
// that text. "@" in a text is the directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		dir := filepath.Dir(path)
		if name[len(name)-1] == '/' {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir != path {
			out := ""
			for _, r := range text {
				if r == '@' {
					out += root
				} else {
					out += string(r)
				}
			}
			if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

func TestFindRoot(t *testing.T) {
	files := map[string]string{
		"home/u/plain/sub/":                        "",
		"home/u/app/.git/HEAD":                     "ref: refs/heads/main\n",
		"home/u/app/.git/objects/":                 "",
		"home/u/app/.git/refs/":                    "",
		"home/u/app/.git/config":                   "[core]\n\tworktree = /\n",
		"home/u/app/src/deep/":                     "",
		"home/u/app/empty/.git/":                   "",
		"home/u/.git/HEAD":                         "ref: refs/heads/main\n", // a home directory under git
		"home/u/.git/objects/":                     "",
		"home/u/.git/refs/":                        "",
		"wt/good/.git":                             "gitdir: @/home/u/app/.git/worktrees/good\n",
		"wt/good/sub/":                             "",
		"wt/bad/.git":                              "gitdir: @/home/u/app/.git/worktrees/good\n",
		"wt/bad/sub/":                              "",
		"wt/away/.git":                             "gitdir: /\n",
		"wt/away/sub/":                             "",
		"wt/two/.git":                              "gitdir: @/home/u/app/.git/worktrees/good\nmore\n",
		"wt/two/sub/":                              "",
		"home/u/app/mod/.git":                      "gitdir: ../.git/modules/mod\n",
		"home/u/app/mod/sub/":                      "",
		"home/u/app/.git/modules/mod/":             "",
		"home/u/app/.git/modules/mod/HEAD":         "ref: refs/heads/main\n",
		"home/u/app/.git/modules/mod/objects/":     "",
		"home/u/app/.git/modules/mod/refs/":        "",
		"home/u/app/.git/worktrees/good/gitdir":    "@/wt/good/.git\n",
		"home/u/app/.git/worktrees/good/HEAD":      "ref: refs/heads/x\n",
		"home/u/app/.git/worktrees/good/commondir": "../..\n",
		"link/x": "",
	}
	root := tree(t, files)
	if err := os.Symlink(filepath.Join(root, "home/u/app/.git"), filepath.Join(root, "link/.git")); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home/u")
	for _, tt := range []struct{ dir, want string }{
		{"home/u/app", "home/u/app"},
		{"home/u/app/src/deep", "home/u/app"},
		{"home/u/app/empty", "home/u/app"}, // an empty .git is no repository
		{"home/u/plain/sub", "home/u/plain/sub"},
		{"home/u", ""},
		{"home", ""},
		{"wt/good/sub", "wt/good"},
		{"wt/bad/sub", "wt/bad/sub"}, // the repository doesn't know it
		{"wt/away/sub", "wt/away/sub"},
		{"wt/two/sub", "wt/two/sub"},
		{"home/u/app/mod/sub", "home/u/app/mod"},
		{"link", "link"},
		{"nowhere", ""},
	} {
		want := ""
		if tt.want != "" {
			want = filepath.Join(root, tt.want)
		}
		if got := FindRoot(filepath.Join(root, tt.dir), home); got != want {
			t.Errorf("%s: %q, want %q", tt.dir, got, want)
		}
	}
}

func TestNever(t *testing.T) {
	for _, tt := range []struct {
		dir  string
		want bool
	}{
		{"/", true},
		{"/home", true},
		{"/home/u", true},
		{"/home/u/app", false},
		{"/usr", true},
		{"/usr/src/app", false},
		{"/etc", true},
		{"/etc/nginx", true},
		{"/tmp", true},
		{"/tmp/x", false},
		{"/var/www/site", false},
		{"/proc/1", true},
		{"/code/app", false},
		{"relative", true},
		{"/a/../b", true},
		{"", true},
	} {
		if got := Never(tt.dir, "/home/u"); got != tt.want {
			t.Errorf("%s: %v", tt.dir, got)
		}
	}
}

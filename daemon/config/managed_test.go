package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"extdir/daemon/access"
	"extdir/daemon/policy"
)

// managed opens two files; whoever runs the test is the administrator.
func managed(t *testing.T, admin, user string) (c *Config, adminFile, userFile string) {
	t.Helper()
	dir := t.TempDir()
	adminFile, userFile = filepath.Join(dir, "etc.json"), filepath.Join(dir, "config.json")
	write(t, adminFile, admin)
	write(t, userFile, user)
	c, err := open(Options{
		File: userFile, Managed: adminFile, Home: "/home/u", Resolve: same, administrator: os.Getuid(),
	}, fsnotify.NewWatcher, time.Hour)
	do(t, err)
	t.Cleanup(c.Close)
	return c, adminFile, userFile
}

func TestManaged(t *testing.T) {
	t.Parallel()
	c, adminFile, userFile := managed(t,
		`{"permission": {"external_directory": {"/srv": "deny", "/opt": "ask"}}, "unknown": "deny", "wait": "9s"}`,
		`{"permission": {"external_directory": {"/srv": "allow", "/opt": "allow"}}, "unknown": "allow", "wait": "7s"}`)
	read := func(path string) policy.Verdict { return judge(c.Policy("/code/app", ""), access.Read, path) }
	if got := read("/srv/x"); got != block {
		t.Errorf("the administrator's deny: %s", got)
	}
	if got := read("/opt/x"); got != allow {
		t.Errorf("the administrator's ask, which a user may loosen: %s", got)
	}
	if s := c.Settings(); s.Unknown != policy.Deny || s.Wait != 7*time.Second {
		t.Errorf("settings: %+v", s)
	}
	for _, file := range []string{adminFile, userFile} {
		if got := judge(c.Policy("/code/app", ""), access.Write, file); got != block {
			t.Errorf("writing %s: %s", file, got)
		}
	}

	write(t, adminFile, `{"permission": {"external_directory": {"/srv": "ask"}}}`)
	until(t, 300*time.Millisecond, "the administrator's change", func() bool { return read("/srv/x") == allow })
	write(t, userFile, `{}`)
	until(t, 300*time.Millisecond, "the user's change", func() bool { return read("/srv/x") == prompt })
	write(t, adminFile, `{"x": 1}`)
	write(t, userFile, `{"y": 1}`)
	until(t, 300*time.Millisecond, "both problems", func() bool {
		p := c.Status().Problem
		return strings.Contains(p, `etc.json:1:2: key "x"`) && strings.Contains(p, `; config.json:1:2: key "y"`)
	})
	if s := c.Status(); len(s.Problems) != 2 || s.Since.IsZero() {
		t.Errorf("status: %+v", s)
	}
}

// A file that others may write is nobody's word.
func TestManagedMustBelongToTheAdministrator(t *testing.T) {
	t.Parallel()
	c, adminFile, _ := managed(t, `{}`, `{}`)
	write(t, adminFile, `{"permission": {"external_directory": {"/srv": "allow"}}}`)
	do(t, os.Chmod(adminFile, 0o666))
	until(t, 300*time.Millisecond, "problem", func() bool {
		return strings.Contains(c.Status().Problem, "others than the administrator may write it")
	})
	dir := t.TempDir()
	file := filepath.Join(dir, "etc.json")
	write(t, file, `{"permission": {"external_directory": {"/srv": "allow"}}}`)
	foreign, problems := Load(Options{Managed: file, Resolve: same, administrator: os.Getuid() + 1})
	if len(problems) != 1 || judge(foreign.Policy("/code/app", ""), access.Read, "/srv/x") != prompt {
		t.Errorf("a foreign file: %v", problems)
	}
	none, problems := Load(Options{Managed: filepath.Join(dir, "none.json"), Resolve: same})
	if len(problems) != 0 || none.Status().Problem != "" {
		t.Errorf("no file: %v", problems)
	}
}

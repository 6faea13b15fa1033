package daemon

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"extdir/hook/wire"
)

func env(kv ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(kv); i += 2 {
			if kv[i] == name {
				return kv[i+1]
			}
		}
		return ""
	}
}

const nobodysUID = 999_999_999 // has no /run/user/UID

func TestFindPlace(t *testing.T) {
	private := t.TempDir()
	if err := os.Chmod(private, 0o700); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(private, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(private, "link")
	if err := os.Symlink(private, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name               string
		env                func(string) string
		run, config, state string
	}{
		{
			"home alone", env("HOME", "/h"),
			"/h/.local/state/extdir/run", "/h/.config/extdir/config.json", "/h/.local/state/extdir",
		},
		{
			"all set", env("HOME", "/h", "XDG_RUNTIME_DIR", private, "XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s"),
			private + "/extdir", "/c/extdir/config.json", "/s/extdir",
		},
		{
			"in a session", env("HOME", "/h", "XDG_RUNTIME_DIR", private, "XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s",
				"EXTDIR_SOCKET", "/a/run/extdird.sock", "EXTDIR_CONFIG", "/a/config.json", "EXTDIR_STATE", "/a/state"),
			"/a/run", "/a/config.json", "/a/state",
		},
		{
			"half of a session is none", env("HOME", "/h", "EXTDIR_SOCKET", "/a/run/extdird.sock", "EXTDIR_CONFIG", "/a/config.json"),
			"/h/.local/state/extdir/run", "/h/.config/extdir/config.json", "/h/.local/state/extdir",
		},
		{
			"relative names are ignored", env("HOME", "/h", "XDG_RUNTIME_DIR", "r", "XDG_CONFIG_HOME", "c", "XDG_STATE_HOME", "./s"),
			"/h/.local/state/extdir/run", "/h/.config/extdir/config.json", "/h/.local/state/extdir",
		},
		{
			"runtime directory open to others", env("HOME", "/h", "XDG_RUNTIME_DIR", open),
			"/h/.local/state/extdir/run", "/h/.config/extdir/config.json", "/h/.local/state/extdir",
		},
		{
			"runtime directory by a symlink", env("HOME", "/h", "XDG_RUNTIME_DIR", link),
			"/h/.local/state/extdir/run", "/h/.config/extdir/config.json", "/h/.local/state/extdir",
		},
		{
			"runtime directory missing", env("HOME", "/h", "XDG_RUNTIME_DIR", private+"/none"),
			"/h/.local/state/extdir/run", "/h/.config/extdir/config.json", "/h/.local/state/extdir",
		},
	} {
		p, err := findPlace("", c.env, nobodysUID)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.Run != c.run || p.Config != c.config || p.State != c.state || filepath.Dir(p.Socket) != c.run || filepath.Dir(p.Lock) != c.run {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	for _, e := range []func(string) string{env(), env("HOME", "relative"), env("XDG_CONFIG_HOME", "/c")} {
		if p, err := findPlace("", e, nobodysUID); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
			t.Errorf("without a home: %+v, %v", p, err)
		}
	}
	p, err := findPlace(link, env(), nobodysUID)
	if err != nil || p.Dir != private || p.Socket != private+"/run/extdird.sock" || p.Config != private+"/config.json" || p.State != private+"/state" {
		t.Errorf("--dir: %+v, %v", p, err)
	}
}

// Hostile layouts of the run directory: each is refused with a sentence, and
// nothing is bound.
func TestHostileLayouts(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(t *testing.T, p Place, elsewhere string)
	}{
		{"symlink to a directory", "symlink", func(t *testing.T, p Place, elsewhere string) {
			must(t, os.Symlink(elsewhere, p.Run))
		}},
		{"dangling symlink", "symlink", func(t *testing.T, p Place, elsewhere string) {
			must(t, os.Symlink(elsewhere+"/none", p.Run))
		}},
		{"file", "not a directory", func(t *testing.T, p Place, _ string) {
			must(t, os.WriteFile(p.Run, nil, 0o600))
		}},
		{"mode 0777", "open to others", func(t *testing.T, p Place, _ string) {
			must(t, os.Mkdir(p.Run, 0o700))
			must(t, os.Chmod(p.Run, 0o777))
		}},
		{"mode 0710", "open to others", func(t *testing.T, p Place, _ string) {
			must(t, os.Mkdir(p.Run, 0o700))
			must(t, os.Chmod(p.Run, 0o710))
		}},
		{"another owner", "belongs to uid 65534", func(t *testing.T, p Place, _ string) {
			must(t, os.Mkdir(p.Run, 0o700))
			if err := os.Chown(p.Run, 65534, 65534); err != nil {
				t.Skip("only root can give a directory away")
			}
		}},
		{"lock is a symlink", "can't open the lock", func(t *testing.T, p Place, elsewhere string) {
			must(t, os.Mkdir(p.Run, 0o700))
			must(t, os.Symlink(elsewhere+"/victim", p.Lock))
		}},
		{"lock is a directory", "can't open the lock", func(t *testing.T, p Place, _ string) {
			must(t, os.MkdirAll(p.Lock, 0o700))
		}},
		{"socket's name is a directory", "can't remove the old socket", func(t *testing.T, p Place, _ string) {
			must(t, os.MkdirAll(p.Socket, 0o700))
		}},
		{"above it is a file", "can't make the directory", func(t *testing.T, p Place, _ string) {
			must(t, os.Remove(p.Dir))
			must(t, os.WriteFile(p.Dir, nil, 0o600))
		}},
		{"state is a file", "state directory", func(t *testing.T, p Place, _ string) {
			must(t, os.WriteFile(p.State, nil, 0o600))
		}},
		{"log is a symlink", "is a symlink", func(t *testing.T, p Place, elsewhere string) {
			must(t, os.MkdirAll(p.State, 0o700))
			must(t, os.Symlink(elsewhere+"/victim", p.Log))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, elsewhere := t.TempDir(), t.TempDir()
			must(t, os.Chmod(elsewhere, 0o700))
			p, err := FindPlace(dir)
			must(t, err)
			c.make(t, p, elsewhere)
			err = Serve(t.Context(), Options{Place: p, Version: "test", Ready: func() { t.Error("it serves") }})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a sentence with %q", err, c.want)
			}
			if _, err := wire.Dial(p.Socket, 0); err == nil {
				t.Error("somebody answers on the socket")
			}
			if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
				t.Errorf("written through the symlink: %v", left)
			}
		})
	}
}

// What a session hands on is a whole place or none.
func TestPlaceOf(t *testing.T) {
	p, err := PlaceOf("/r/extdird.sock", "/c/x.json", "/s")
	if err != nil || p.Run != "/r" || p.Lock != "/r/extdird.lock" || p.Log != "/s/extdird.log" || p.Dir != "" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, parts := range [][3]string{
		{"", "/c", "/s"},
		{"/r/extdird.sock", "", "/s"},
		{"/r/extdird.sock", "/c", ""},
		{"r/extdird.sock", "/c", "/s"},
		{"/r/extdird.sock", "c", "/s"},
		{"/r/extdird.sock", "/c", "s"},
		{"/r/other", "/c", "/s"},
	} {
		if p, err := PlaceOf(parts[0], parts[1], parts[2]); err == nil {
			t.Errorf("%q is taken for %+v", parts, p)
		}
	}
}

// Leftovers of an earlier daemon are no obstacle.
func TestStaleSocket(t *testing.T) {
	for _, make := range []func(t *testing.T, p Place){
		func(t *testing.T, p Place) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
			must(t, err)
			l.SetUnlinkOnClose(false)
			l.Close()
		},
		func(t *testing.T, p Place) { must(t, os.WriteFile(p.Socket, nil, 0o600)) },
		func(t *testing.T, p Place) { must(t, os.Symlink("/etc/hostname", p.Socket)) },
	} {
		p, err := FindPlace(t.TempDir())
		must(t, err)
		must(t, os.Mkdir(p.Run, 0o700))
		make(t, p)
		h, err := p.take()
		must(t, err)
		l, err := h.listen()
		must(t, err)
		if fi, err := os.Lstat(p.Socket); err != nil || fi.Mode().Type() != os.ModeSocket || fi.Mode().Perm() != 0o600 {
			t.Errorf("socket: %v, %v", fi, err)
		}
		if _, err := p.take(); !errors.Is(err, ErrRunning) {
			t.Errorf("a second one takes the place: %v", err)
		}
		if h.lost() {
			t.Error("the place counts as lost")
		}
		must(t, os.Rename(p.Run, p.Run+"2"))
		if !h.lost() {
			t.Error("the place counts as held after its directory went away")
		}
		l.Close()
		h.release()
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

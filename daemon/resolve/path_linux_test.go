package resolve

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// kernel is what the kernel says a name leads to: the file is opened without being
// read, and its descriptor named.
func kernel(name string) (string, error) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
}

// TestPathOfRandomTrees: in trees of directories, files and links of all kinds, in
// all directions, every name leads where the kernel says.
func TestPathOfRandomTrees(t *testing.T) {
	opened, missing, loops := 0, 0, 0
	for seed := range int64(40) {
		r := rand.New(rand.NewSource(seed))
		dir, err := filepath.EvalSymlinks(t.TempDir())
		must(t, err)
		names := []string{"a", "b", "c"}
		dirs := []string{dir}
		for range 12 {
			in := dirs[r.Intn(len(dirs))]
			at := filepath.Join(in, names[r.Intn(3)])
			if _, err := os.Lstat(at); err == nil {
				continue
			}
			switch r.Intn(4) {
			case 0:
				must(t, os.Mkdir(at, 0o755))
				dirs = append(dirs, at)
			case 1:
				must(t, os.WriteFile(at, nil, 0o644))
			case 2:
				must(t, os.Symlink(dir+"/"+someName(r, names), at))
			default:
				must(t, os.Symlink(someName(r, names), at))
			}
		}
		for range 60 {
			name := dir + "/" + someName(r, names)
			got, gotErr := Path(OS(), name, nil)
			want, err := kernel(name)
			switch {
			case errors.Is(err, unix.ELOOP):
				loops++
				if !errors.Is(gotErr, ErrLoop) {
					t.Fatalf("seed %d: %s is %s, %v; the kernel finds a loop", seed, name, got, gotErr)
				}
			case err == nil:
				opened++
				if gotErr != nil || got != want {
					t.Fatalf("seed %d: %s is %s, %v; the kernel says %s", seed, name, got, gotErr, want)
				}
			case errors.Is(err, unix.ENOENT) && gotErr == nil:
				// What is missing alone may be made: its directory must be right.
				parent, err := kernel(filepath.Dir(got))
				if _, there := os.Lstat(got); there == nil || err != nil || parent != filepath.Dir(got) {
					continue // a component on the way is missing
				}
				missing++
				must(t, os.WriteFile(got, nil, 0o644))
				if strings.HasSuffix(name, "/") {
					must(t, os.Remove(got))
					continue
				}
				if again, err := kernel(name); err == nil && again != got {
					t.Fatalf("seed %d: %s is %s; the kernel says %s once that is made", seed, name, got, again)
				}
				must(t, os.Remove(got))
			}
		}
	}
	if opened < 200 || missing < 100 || loops < 20 {
		t.Errorf("only %d names opened, %d were missing, %d looped", opened, missing, loops)
	}
}

// someName is a relative name with everything names are made of.
func someName(r *rand.Rand, names []string) string {
	var parts []string
	for range 1 + r.Intn(4) {
		switch r.Intn(8) {
		case 0:
			parts = append(parts, ".")
		case 1:
			parts = append(parts, "")
		case 2:
			parts = append(parts, "..")
		default:
			parts = append(parts, names[r.Intn(len(names))])
		}
	}
	if s := strings.Join(parts, "/"); strings.Trim(s, "/") != "" {
		return s
	}
	return "."
}

// TestPathUnreadable: a component that can't be looked at may be a link.
func TestPathUnreadable(t *testing.T) {
	_, err := Path(refusing{OS()}, "/closed/x", nil)
	if !errors.Is(err, unix.EACCES) || !strings.Contains(err.Error(), "can't look at /closed/x") {
		t.Errorf("got %v", err)
	}
}

// refusing denies whatever lies below /closed; the superuser, who may run this
// test, is denied nothing by the kernel.
type refusing struct{ FS }

func (r refusing) Lstat(name string) (os.FileInfo, error) {
	if strings.HasPrefix(name, "/closed/") {
		return nil, &os.PathError{Op: "lstat", Path: name, Err: unix.EACCES}
	}
	return os.Lstat("/")
}

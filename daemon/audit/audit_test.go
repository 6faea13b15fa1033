package audit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, opt Options) (*Log, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state", "log.jsonl")
	l := Open(path, opt)
	t.Cleanup(func() { _ = l.Close() })
	return l, path
}

func TestWriteAndFind(t *testing.T) {
	l, path := open(t, Options{})
	for i := range 10 {
		l.Write(Entry{ID: fmt.Sprint("d", i), Kind: "check", Line: fmt.Sprint("line ", i), Verdict: "allow"})
	}
	l.Write(Entry{ID: "a1", Kind: "approve"})
	l.Flush()
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Error(st.Mode(), err)
	}
	if e, err := Find(path, "d3", 0); err != nil || e.Line != "line 3" || e.Time.IsZero() {
		t.Error(e, err)
	}
	if e, err := Find(path, "", 0); err != nil || e.ID != "d9" {
		t.Error("the last decision:", e, err)
	}
	if _, err := Find(path, "d99", 0); err == nil {
		t.Error("found what isn't there")
	}
	last, err := Last(path, 3, 0, func(e Entry) bool { return e.Kind == "check" })
	if err != nil || len(last) != 3 || last[0].ID != "d9" || last[2].ID != "d7" {
		t.Error(last, err)
	}
	if _, err := Find(path+".none", "", 0); err == nil {
		t.Error("no log, and no error")
	}
}

func TestRotates(t *testing.T) {
	l, path := open(t, Options{Size: 2000, Files: 3})
	for i := range 200 {
		l.Write(Entry{ID: fmt.Sprint("d", i), Kind: "check", Line: strings.Repeat("x", 100)})
		if i%50 == 0 {
			l.Flush()
		}
	}
	l.Flush()
	names, _ := filepath.Glob(path + "*")
	if len(names) != 3 {
		t.Fatal(names)
	}
	for _, n := range names {
		if st, _ := os.Stat(n); st.Size() > 2000 {
			t.Errorf("%s has %d bytes", n, st.Size())
		}
	}
	all, err := Last(path, 1000, 3, nil)
	if err != nil || len(all) < 15 || all[0].ID != "d199" {
		t.Fatal(len(all), err)
	}
	for i := range all {
		if want := fmt.Sprint("d", 199-i); all[i].ID != want {
			t.Fatalf("entry %d is %s, want %s", i, all[i].ID, want)
		}
	}
}

// A log that can't be written costs no time, says so, counts what is lost, and
// goes on when it can.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	l := Open(path, Options{})
	defer l.Close()
	l.Write(Entry{ID: "a"})
	l.Flush()
	if !strings.Contains(l.Status(), "not a regular file") || l.Dropped() != 1 {
		t.Errorf("%q, %d dropped", l.Status(), l.Dropped())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	l.Write(Entry{ID: "b"})
	l.Flush()
	e, err := Find(path, "b", 0)
	if err != nil || e.Dropped != 1 || l.Status() != "" {
		t.Errorf("%+v %v %q", e, err, l.Status())
	}
	l.Write(Entry{ID: "c"})
	l.Flush()
	if e, err := Find(path, "c", 0); err != nil || e.Dropped != 0 {
		t.Errorf("%+v %v", e, err)
	}
}

// A disk that hangs is a writer that doesn't come to the queue.
func TestNeverWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := prepare(path, Options{})
	began := time.Now()
	for i := range 3 * queueLen {
		l.Write(Entry{ID: fmt.Sprint(i)})
	}
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("writing took %v", d)
	}
	if lost := l.Dropped(); lost != 2*queueLen {
		t.Errorf("%d dropped", lost)
	}
	go l.run()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := Last(path, 10*queueLen, 0, nil)
	if err != nil || len(all) != queueLen {
		t.Fatal(len(all), err)
	}
	for i, e := range all {
		if first := i == len(all)-1; first && e.Dropped != 2*queueLen || !first && e.Dropped != 0 {
			t.Errorf("entry %s tells of %d dropped", e.ID, e.Dropped)
		}
	}
}

func TestManyWritersAndClose(t *testing.T) {
	l, path := open(t, Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				l.Write(Entry{ID: fmt.Sprintf("%d-%d", i, j), Line: "x"})
				if j%10 == 0 {
					l.Flush()
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l.Write(Entry{ID: "late"})
	l.Flush()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := uint64(0)
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		var e Entry
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", s.Bytes(), err)
		}
	}
	if n+l.Dropped() != 401 {
		t.Errorf("%d written, %d dropped", n, l.Dropped())
	}
}

// A line that a crash cut short doesn't take the next one with it.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(`{"id":"a","kind":"check"}`+"\n"+`{"id":"b","ki`), 0o644); err != nil {
		t.Fatal(err)
	}
	l := Open(path, Options{})
	l.Write(Entry{ID: "c", Kind: "check"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := Last(path, 10, 0, nil)
	if err != nil || len(all) != 2 || all[0].ID != "c" || all[1].ID != "a" {
		t.Error(all, err)
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Error(st.Mode())
	}
}

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		"cat /etc/passwd":                               "cat /etc/passwd",
		"ls -la ~/.ssh/authorized_keys":                 "ls -la ~/.ssh/authorized_keys",
		"cd $PWD; PWD=/x OLDPWD=/y ls":                  "cd $PWD; PWD=/x OLDPWD=/y ls",
		"git commit -m 'add token refresh'":             "git commit -m 'add token refresh'",
		"export GITHUB_TOKEN=abcdef123":                 "export GITHUB_TOKEN=***",
		"DB_PASSWORD='a b c' ./run":                     "DB_PASSWORD=*** ./run",
		"curl -H 'Authorization: Bearer abc.def-ghi' x": "curl -H 'Authorization: Bearer ***' x",
		"curl -H \"X-Api-Key: 12345\" x":                "curl -H \"X-Api-Key: ***\" x",
		"curl -u me:hunter2 https://x":                  "curl -u me:*** https://x",
		"git clone https://me:hunter2@host/x.git":       "git clone https://me:***@host/x.git",
		"aws --secret-key wJalrXUtnFEMI/K7 s3":          "aws --secret-key *** s3",
		"mysql -u root -phunter2 db":                    "mysql -u root -p*** db",
		"login --password=hunter2":                      "login --password=***",
		"echo ghp_0123456789abcdefghijABCDEFGHIJ":       "echo ***",
		"echo " + "sk-" + "ant-abcdefghijklmnopqrst":    "echo ***",
		"echo AKIAIOSFODNN7EXAMPLE":                     "echo ***",
		`curl -d '{"password": "hunter2", "a": 1}' x`:   `curl -d '{"password": ***, "a": 1}' x`,
		"sshpass -p hunter2 ssh h":                      "sshpass -p *** ssh h",
	} {
		if got := Mask(in); got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add("export TOKEN=x; curl -u a:b https://u:p@h/")
	f.Fuzz(func(t *testing.T, s string) {
		// A secret in its plainest form never passes, whatever stands around it.
		got := Mask(s + "\nAPI_TOKEN=hunter2hunter2\n" + s)
		if strings.Contains(got, "API_TOKEN=hunter2hunter2") {
			t.Errorf("%q", got)
		}
	})
}

package approval

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"extdir/daemon/session"
)

// lockWait is how long the database may be held by another process before we go
// on without it.
const lockWait = 200 * time.Millisecond

const (
	grantBucket   = "grants"
	sessionBucket = "sessions"
	trustBucket   = "trust"
)

var buckets = []string{grantBucket, sessionBucket, trustBucket}

// record is one entry to be written; value nil removes it.
type record struct {
	bucket, key string
	value       any
}

// disk is the file below a store. A database that is locked or has no room is
// tried again; one that is damaged is moved aside.
//
// bbolt maps its file into memory and trusts what it finds there: of 400 damaged
// files 115 made it panic, some of them by a fault that recover can't catch
// (bbolt 1.5.0). SetPanicOnFault turns those faults into panics, and guarded
// catches both.
type disk struct {
	path string
	now  func() time.Time

	mu      sync.Mutex
	db      *bolt.DB
	mac     []byte
	problem error  // why there is no db
	notice  string // what happened to an earlier file
}

// all is what a database holds.
type all struct {
	grants   []Grant
	sessions map[string]session.Saved
	trust    map[string]trusted
	dropped  int
}

var errDamaged = errors.New("the file is damaged")

func newDisk(path string, now func() time.Time) *disk {
	return &disk{path: path, now: now, problem: errors.New("not open yet")}
}

func (d *disk) ok() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.db != nil
}

// state is "" or a sentence for people.
func (d *disk) state() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return fmt.Sprintf("approvals are not saved: %v", d.problem)
	}
	return d.notice
}

// open opens the file, or a new one where it is damaged, and reads it whole.
func (d *disk) open() (all, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db != nil {
		return all{}, nil
	}
	found, err := d.tryOpen()
	if errors.Is(err, errDamaged) {
		if err = d.quarantine(err); err == nil {
			found, err = d.tryOpen()
		}
	}
	d.problem = err
	if err != nil {
		return all{}, fmt.Errorf("approvals are not saved: %w", err)
	}
	if found.dropped > 0 {
		d.notice = fmt.Sprintf("%d stored approvals in %s didn't verify and were dropped", found.dropped, d.path)
	}
	return found, nil
}

func (d *disk) tryOpen() (all, error) {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return all{}, err
	}
	mac, err := macKey(d.path + ".key")
	if err != nil {
		return all{}, err
	}
	// A symlink or a foreign file here would make us write elsewhere.
	if st, err := os.Lstat(d.path); err == nil {
		if !st.Mode().IsRegular() {
			return all{}, fmt.Errorf("%s is not a regular file; move it away", d.path)
		}
		if st.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(d.path, 0o600); err != nil {
				return all{}, err
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return all{}, err
	}
	var db *bolt.DB
	var found all
	err = guarded(func() (err error) {
		if db, err = bolt.Open(d.path, 0o600, &bolt.Options{Timeout: lockWait}); err != nil {
			return err
		}
		if err := db.Update(func(tx *bolt.Tx) error {
			for _, b := range buckets {
				if _, err := tx.CreateBucketIfNotExists([]byte(b)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		return db.View(func(tx *bolt.Tx) (err error) {
			found, err = readAll(tx, mac)
			return err
		})
	})
	if err != nil {
		if db != nil && !errors.Is(err, errDamaged) {
			_ = db.Close()
		}
		return all{}, explain(d.path, err)
	}
	d.db, d.mac = db, mac
	return found, nil
}

// explain makes a sentence of bbolt's errors, and tells which mean damage.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("%s is held by another process; it is tried again every few seconds", path)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch):
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// guarded runs f and turns panics and memory faults in it into errDamaged. The
// database is not closed after that: its locks are in an unknown state.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return f()
}

func (d *disk) quarantine(cause error) error {
	aside := fmt.Sprintf("%s.corrupt-%s", d.path, d.now().UTC().Format("20060102T150405.000000000"))
	if err := os.Rename(d.path, aside); err != nil {
		return err
	}
	d.db = nil
	d.notice = fmt.Sprintf("stored approvals were lost (%v); the file is kept as %s", cause, aside)
	return nil
}

// readAll reads every record that verifies.
func readAll(tx *bolt.Tx, mac []byte) (all, error) {
	found := all{sessions: map[string]session.Saved{}, trust: map[string]trusted{}}
	each := func(bucket string, take func(key string, value []byte) error) error {
		return tx.Bucket([]byte(bucket)).ForEach(func(k, v []byte) error {
			value, ok := open(mac, bucket, k, v)
			if !ok || take(string(k), value) != nil {
				found.dropped++
			}
			return nil
		})
	}
	return found, errors.Join(
		each(grantBucket, func(key string, value []byte) error {
			var g Grant
			if err := json.Unmarshal(value, &g); err != nil {
				return err
			}
			found.grants = append(found.grants, g)
			return nil
		}),
		each(sessionBucket, func(key string, value []byte) error {
			var v session.Saved
			if err := json.Unmarshal(value, &v); err != nil {
				return err
			}
			found.sessions[key] = v
			return nil
		}),
		each(trustBucket, func(key string, value []byte) error {
			var t trusted
			if err := json.Unmarshal(value, &t); err != nil {
				return err
			}
			found.trust[key] = t
			return nil
		}),
	)
}

// write commits records in one transaction. When it returns nil they are on disk.
func (d *disk) write(records ...record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return d.problem
	}
	err := guarded(func() error {
		return d.db.Update(func(tx *bolt.Tx) error {
			for _, r := range records {
				b := tx.Bucket([]byte(r.bucket))
				if r.value == nil {
					if err := b.Delete([]byte(r.key)); err != nil {
						return err
					}
					continue
				}
				v, err := json.Marshal(r.value)
				if err != nil {
					return err
				}
				if err := b.Put([]byte(r.key), seal(d.mac, r.bucket, []byte(r.key), v)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if errors.Is(err, errDamaged) {
		// The file went bad under us. The next try starts a new one and writes
		// what memory holds.
		d.db, d.problem = nil, err
		if moved := d.quarantine(err); moved != nil {
			d.problem = moved
		}
	}
	return err
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return nil
	}
	err := d.db.Close()
	d.db, d.problem = nil, errors.New("the store is closed")
	return err
}

// seal puts a MAC before a value. It covers bucket and key as well, so that a
// record can't be moved.
func seal(mac []byte, bucket string, key, value []byte) []byte {
	return append(tag(mac, bucket, key, value), value...)
}

func open(mac []byte, bucket string, key, sealed []byte) ([]byte, bool) {
	if len(sealed) < sha256.Size {
		return nil, false
	}
	value := sealed[sha256.Size:]
	return value, hmac.Equal(sealed[:sha256.Size], tag(mac, bucket, key, value))
}

func tag(mac []byte, bucket string, key, value []byte) []byte {
	h := hmac.New(sha256.New, mac)
	for _, part := range [][]byte{[]byte(bucket), key, value} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

const keyLen = 32

// macKey reads the key beside the database, or makes one. Without the old key
// nothing stored verifies any more.
func macKey(path string) ([]byte, error) {
	st, err := os.Lstat(path)
	if err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; move it away", path)
	}
	if err == nil && st.Mode().Perm()&0o077 != 0 {
		// Others could read it, so it proves nothing.
		err = os.Remove(path)
		if err != nil {
			return nil, err
		}
		err = fs.ErrNotExist
	}
	if err == nil {
		key, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if len(key) == keyLen {
			return key, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key := make([]byte, keyLen)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	// Written beside and renamed: a key that is half there would drop everything.
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(key)
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	return key, os.Rename(tmp.Name(), path)
}

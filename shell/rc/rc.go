// Package rc puts extdir into the files that shells and agents' hosts read when they
// start, and takes it out again.
//
// What is there is kept byte for byte: a start file gets one block at its end, a settings
// file one entry in a list, a plug-in a file of its own. Of each file that was changed the
// bytes before are kept, with the hash of those after; as long as nobody changed the file
// since, leaving puts them back, and a file that wasn't there is gone again. Where somebody
// did, only what is ours is taken out.
//
// A file that isn't a plain one of the user's own (a link into a dotfiles repository, one
// that can't be written, settings that can't be read) isn't touched: what to add is said
// instead.
package rc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"extdir/daemon/edit"
)

// Part is one thing to put in place.
type Part struct {
	Name string // "bash", "zsh" or an agent's
	File string // absolute
	// Text is what a person would write there by hand.
	Text string
	// add returns the file with the part in it, which may be in it already; take the
	// file without it.
	add  func(old []byte) ([]byte, error)
	take func(old []byte) ([]byte, error)
}

// Step is what is to be done for a part.
type Step struct {
	Part
	Change *edit.Change // nil: nothing, for Why
	Why    string       // "" or why the file is left alone
	Done   bool         // the part is in place already
}

// Plan finds out what installing parts takes.
func Plan(parts []Part) []Step {
	var steps []Step
	for _, p := range parts {
		s := Step{Part: p}
		old, err := read(p.File)
		if err == nil {
			err = plainFile(p.File)
		}
		var next []byte
		if err == nil {
			next, err = p.add(old)
		}
		switch {
		case err != nil:
			s.Why = err.Error()
		case bytes.Equal(old, next):
			s.Done = true
		default:
			s.Change = &edit.Change{File: p.File, Old: old, New: next}
		}
		steps = append(steps, s)
	}
	return steps
}

// read reads a file; one that isn't there is empty.
func read(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't be read", name)
	}
	return b, nil
}

// plainFile tells why a file isn't to be written to, nil if it may be.
func plainFile(name string) error {
	st, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		dir := filepath.Dir(name)
		for {
			if _, err := os.Stat(dir); err == nil {
				break
			}
			dir = filepath.Dir(dir)
		}
		if unix.Access(dir, unix.W_OK) != nil {
			return fmt.Errorf("%s can't be written to", dir)
		}
		return nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s can't be looked at", name)
	case st.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(name)
		return fmt.Errorf("%s is a link to %s, which another program may keep", name, to)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case st.Mode().Perm()&0o200 == 0 || unix.Access(name, unix.W_OK) != nil:
		return fmt.Errorf("%s is read-only", name)
	}
	return nil
}

// entry is what is remembered of a changed file.
type entry struct {
	Part    string `json:"part"`
	File    string `json:"file"`
	Existed bool   `json:"existed"`
	Before  []byte `json:"before,omitempty"` // base64 in the file
	After   string `json:"after"`            // SHA-256
	// Dirs were made for it, the innermost first.
	Dirs []string `json:"dirs,omitempty"`
}

// Kept is the file in which is remembered what was changed.
type Kept struct {
	file    string
	entries []entry
}

// Open reads what was changed so far, from a file in a directory of extdir's own.
func Open(state string) (*Kept, error) {
	k := &Kept{file: filepath.Join(state, "installed.json")}
	b, err := read(k.file)
	if err != nil {
		return nil, err
	}
	if len(b) > 0 {
		if err := json.Unmarshal(b, &k.entries); err != nil {
			return nil, fmt.Errorf("%s can't be understood (%v): move it away, and take extdir out of your start files by hand", k.file, err)
		}
	}
	return k, nil
}

func (k *Kept) write() error {
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return err
	}
	old, err := read(k.file)
	if err != nil {
		return err
	}
	if len(k.entries) == 0 {
		if err := os.Remove(k.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := json.MarshalIndent(k.entries, "", "  ")
	if err != nil {
		return err
	}
	return edit.Change{File: k.file, Old: old, New: append(b, '\n')}.Write()
}

func hash(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Do makes a step's change. What was before is on disk before the file is changed.
func (k *Kept) Do(s Step) error {
	if s.Change == nil {
		return nil
	}
	_, err := os.Lstat(s.File)
	e := entry{Part: s.Name, File: s.File, Existed: err == nil, Before: s.Change.Old, After: hash(s.Change.New)}
	for dir := filepath.Dir(s.File); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		e.Dirs = append(e.Dirs, dir)
	}
	i := k.find(s.File)
	switch {
	case i < 0:
		k.entries = append(k.entries, e)
	case k.entries[i].After == hash(s.Change.Old):
		// An update of what is ours: the bytes before stay the first ones.
		e.Existed, e.Before, e.Dirs = k.entries[i].Existed, k.entries[i].Before, k.entries[i].Dirs
		k.entries[i] = e
	default: // somebody wrote to it meanwhile
		k.entries[i] = e
	}
	if err := k.write(); err != nil {
		return fmt.Errorf("%s can't be written: %w", k.file, err)
	}
	return s.Change.Write()
}

func (k *Kept) find(file string) int {
	return slices.IndexFunc(k.entries, func(e entry) bool { return e.File == file })
}

// Leave finds out what leaving takes. Parts that were never put in place by Do, but
// stand in their files, are taken out as well.
func (k *Kept) Leave(parts []Part) []Step {
	var steps []Step
	for _, p := range parts {
		s := Step{Part: p}
		old, err := read(p.File)
		if err != nil {
			s.Why = err.Error()
			steps = append(steps, s)
			continue
		}
		i := k.find(p.File)
		if i >= 0 && k.entries[i].After == hash(old) {
			s.Change = &edit.Change{File: p.File, Old: old, New: k.entries[i].Before}
			steps = append(steps, s)
			continue
		}
		next, err := p.take(old)
		switch {
		case err != nil:
			s.Why = err.Error()
		case bytes.Equal(old, next):
			s.Done = true
		default:
			if err := plainFile(p.File); err != nil {
				s.Why = err.Error()
				break
			}
			s.Change = &edit.Change{File: p.File, Old: old, New: next}
		}
		steps = append(steps, s)
	}
	return steps
}

// Undo makes a step of Leave. A file that wasn't there before, or holds nothing more,
// is removed.
func (k *Kept) Undo(s Step) error {
	i := k.find(s.File)
	if s.Change != nil {
		made := i >= 0 && !k.entries[i].Existed
		if made && len(bytes.TrimSpace(s.Change.New)) == 0 {
			if now, err := read(s.File); err != nil || !bytes.Equal(now, s.Change.Old) {
				return fmt.Errorf("%s was changed meanwhile: try again", s.File)
			}
			if err := os.Remove(s.File); err != nil {
				return err
			}
			for _, d := range k.entries[i].Dirs {
				if os.Remove(d) != nil { // not empty: somebody's by now
					break
				}
			}
		} else if err := s.Change.Write(); err != nil {
			return err
		}
	}
	if i >= 0 {
		k.entries = slices.Delete(k.entries, i, i+1)
		return k.write()
	}
	return nil
}

// Files are the files that were changed and are as they were left.
func (k *Kept) Files() []string {
	var out []string
	for _, e := range k.entries {
		out = append(out, e.File)
	}
	return out
}

// The block in a start file.
const (
	head = "# >>> extdir >>> (extdird uninstall takes this block away)"
	bare = "# >>> extdir >>> (behind a last line without an end; extdird uninstall takes this block away)"
	foot = "# <<< extdir <<<"
)

// Shell is the part of a shell's start file.
func Shell(name, file, line string) Part {
	return Part{
		Name: name, File: file, Text: line,
		add: func(old []byte) ([]byte, error) {
			clean, err := unblock(old)
			if err != nil {
				return nil, err
			}
			first := head
			text := string(clean)
			if text != "" && !strings.HasSuffix(text, "\n") {
				first = bare
				text += "\n"
			}
			return []byte(text + first + "\n" + line + "\n" + foot + "\n"), nil
		},
		take: unblock,
	}
}

// unblock takes the block out.
func unblock(old []byte) ([]byte, error) {
	text := string(old)
	for {
		i := strings.Index(text, "# >>> extdir >>>")
		if i < 0 || i > 0 && text[i-1] != '\n' {
			return []byte(text), nil
		}
		n := strings.Index(text[i:], "\n"+foot+"\n")
		if n < 0 {
			return nil, errors.New("the end of the block of extdir is missing in the file")
		}
		before := text[:i]
		if strings.HasPrefix(text[i:], bare) {
			before = strings.TrimSuffix(before, "\n")
		}
		text = before + text[i+n+len("\n"+foot+"\n"):]
	}
}

// Own is a part that is a file of its own.
func Own(name, file, text string) Part {
	return Part{
		Name: name, File: file, Text: text,
		add: func(old []byte) ([]byte, error) {
			if len(old) > 0 && !ours(old) {
				return nil, fmt.Errorf("%s is there already, and not extdir's", file)
			}
			return []byte(text), nil
		},
		take: func(old []byte) ([]byte, error) {
			if len(old) > 0 && ours(old) {
				return nil, nil
			}
			return old, nil
		},
	}
}

// ours: the mark of a file that extdir wrote.
func ours(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(text, []byte("// extdir for ")) || bytes.Contains(first, []byte("extdir")) || bytes.Contains(text, []byte("extdir-hook"))
}

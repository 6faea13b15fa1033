package guard

import (
	"errors"
	"io"
	"runtime"
)

// chunk is how many bytes the parser gets at a time. Between two reads it can't
// enter more levels than that.
const chunk = 128

var errDeep = errors.New("too deep")

// Reader hands a text to the parser in small pieces and looks, each time it is
// asked for more, how deep the parser's recursion has become. The parser reads
// from inside its recursion, so that is its real depth, whatever quotes and
// here-documents say; a stack overflow can't be recovered from, it ends the process.
//
// The first read comes from the parser's top level and sets the base, so a text
// of up to 128 bytes costs nothing.
type Reader struct {
	text string
	base int
	read bool
	err  error
	pcs  []uintptr
}

// NewReader returns a Reader over text.
func NewReader(text string) *Reader { return &Reader{text: text} }

func (r *Reader) reset(text string) { *r = Reader{text: text, pcs: r.pcs} }

// maxBase is how deep the caller of the parser may stand itself.
const maxBase = 4096

func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.text == "" {
		return 0, io.EOF
	}
	if len(r.text) > chunk || r.read {
		if err := r.depth(); err != nil {
			r.err = err
			return 0, err
		}
	}
	r.read = true
	n := copy(p[:min(len(p), chunk)], r.text)
	r.text = r.text[n:]
	return n, nil
}

func (r *Reader) depth() error {
	if !r.read { // the base
		if cap(r.pcs) == 0 {
			r.pcs = make([]uintptr, 256)
		}
		for {
			r.base = runtime.Callers(0, r.pcs)
			if r.base < len(r.pcs) {
				break
			}
			if len(r.pcs) >= maxBase {
				return errDeep
			}
			r.pcs = make([]uintptr, 4*len(r.pcs))
		}
		if need := r.base + limit[Frames].max; len(r.pcs) < need {
			r.pcs = make([]uintptr, need)
		}
		return nil
	}
	if runtime.Callers(0, r.pcs[:r.base+limit[Frames].max]) == r.base+limit[Frames].max {
		return errDeep
	}
	return nil
}

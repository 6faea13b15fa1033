package wire

import "io"

// Reader reads requests one after the other from a connection. What a peer sends
// ahead of the reply stays in the buffer for the next request.
type Reader struct {
	r    io.Reader
	buf  []byte // bytes read and not yet handed out
	mark int    // buf[:mark] was looked at and holds no complete request
	// Begun, if not nil, is called when the first byte of a request is there and
	// the rest is not: the moment from which a peer may be held to a deadline.
	Begun func()
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next reads one request. io.EOF means that the peer closed between requests; a
// close in the middle of one is ErrMalformed. After an error the stream is out of
// step: the connection must be closed.
func (d *Reader) Next() (*Request, error) {
	for {
		if end := complete(d.buf, d.mark); end > 0 {
			if end > MaxRequest {
				return nil, ErrTooLong
			}
			req, err := parse(d.buf[:end])
			n := copy(d.buf, d.buf[end:])
			d.buf, d.mark = d.buf[:n], 0
			if n == 0 && cap(d.buf) > 64<<10 {
				d.buf = nil // a rare long line must not stay in memory for the life of a shell
			}
			return req, err
		}
		if len(d.buf) > MaxRequest {
			return nil, ErrTooLong
		}
		if len(d.buf) > 0 && d.mark == 0 && d.Begun != nil {
			d.Begun()
		}
		d.mark = len(d.buf)
		if len(d.buf) == cap(d.buf) {
			grown := make([]byte, len(d.buf), max(4096, 2*cap(d.buf)))
			copy(grown, d.buf)
			d.buf = grown
		}
		n, err := d.r.Read(d.buf[len(d.buf):cap(d.buf)])
		d.buf = d.buf[:len(d.buf)+n]
		if n > 0 {
			continue // what came is looked at first; the error comes again
		}
		switch {
		case err == nil:
			return nil, io.ErrNoProgress
		case err == io.EOF && len(d.buf) > 0:
			return nil, ErrMalformed
		default:
			return nil, err
		}
	}
}

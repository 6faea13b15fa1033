// Package wire is the protocol between the shells and extdird: one framing, used
// by both sides, that a shell script can write and read without JSON.
//
// A request is fields ended by NUL:
//
//	extdir 1 NUL kind NUL key=value NUL key=value NUL NUL
//
// that is: the magic word with the major version, the request's kind, any number
// of key=value fields, and an empty field at the end. Values are bytes; they
// can't hold NUL, as no shell variable, path or argument can. Unknown keys are
// ignored, an unknown kind or version is refused. A request has at most
// [MaxRequest] bytes.
//
// A reply is one line of exactly [ReplyLen] bytes, blank padded, ended by a
// newline:
//
//	1 SEQ VERDICT ARG
//
// SEQ is the request's seq= value, or "-". VERDICT is allow, block, prompt, need
// (verdicts), ok, error or body. ARG is an id, a number or a word. After a reply
// whose verdict is body follow exactly ARG bytes. Whoever reads a verdict it
// doesn't know takes it for block.
//
// The full list of kinds and keys is in docs/protocol.md.
package wire

import (
	"errors"
	"io"
)

const (
	// Version is the major version of the protocol.
	Version = "1"
	// MaxRequest is the greatest length of a request, in bytes.
	MaxRequest = 1 << 20
	// ReplyLen is the length of a reply line, newline included, in bytes.
	ReplyLen = 64
)

const magic = "extdir " + Version

// Errors of ReadRequest and ParseReply. They are comparable with errors.Is.
var (
	ErrTooLong   = errors.New("request is longer than 1 MiB")
	ErrMalformed = errors.New("request is malformed")
	ErrVersion   = errors.New("protocol version is not supported")
	ErrReply     = errors.New("reply is malformed")
)

// Field is one key=value of a request or a body.
type Field struct{ Key, Value string }

// Request is one question to the daemon.
type Request struct {
	Kind   string
	Fields []Field
}

// Get returns the value of the first field named key, or "".
func (r *Request) Get(key string) string {
	for i := range r.Fields {
		if r.Fields[i].Key == key {
			return r.Fields[i].Value
		}
	}
	return ""
}

// Has tells whether a field named key is there.
func (r *Request) Has(key string) bool {
	for i := range r.Fields {
		if r.Fields[i].Key == key {
			return true
		}
	}
	return false
}

// Add appends a field. A value that holds NUL is cut there: nothing the kernel
// or a shell hands out can hold one.
func (r *Request) Add(key, value string) {
	r.Fields = append(r.Fields, Field{key, value})
}

// Append appends the encoded request to b.
func (r *Request) Append(b []byte) []byte {
	b = append(b, magic...)
	b = append(b, 0)
	b = append(b, r.Kind...)
	b = append(b, 0)
	b = AppendFields(b, r.Fields)
	return append(b, 0)
}

// AppendFields appends key=value NUL for each field: the form of a request's
// fields and of a body.
func AppendFields(b []byte, fields []Field) []byte {
	for _, f := range fields {
		b = append(b, f.Key...)
		b = append(b, '=')
		for i := 0; i < len(f.Value) && f.Value[i] != 0; i++ {
			b = append(b, f.Value[i])
		}
		b = append(b, 0)
	}
	return b
}

// ParseFields is the inverse of AppendFields. A field without "=" is malformed.
func ParseFields(b []byte) ([]Field, error) {
	var out []Field
	for len(b) > 0 {
		i := indexByte(b, 0)
		if i < 0 {
			return nil, ErrMalformed
		}
		f := b[:i]
		b = b[i+1:]
		j := indexByte(f, '=')
		if j <= 0 {
			return nil, ErrMalformed
		}
		out = append(out, Field{string(f[:j]), string(f[j+1:])})
	}
	return out, nil
}

// ReadRequest reads one request from r. buf is scratch space and may be nil; the
// grown buffer is returned for reuse. io.EOF means that the peer closed before
// the first byte; a close in the middle is ErrMalformed.
// A version other than ours gives ErrVersion, so that the reply can say so.
// What the peer sent after the request is lost: see [Reader].
func ReadRequest(r io.Reader, buf []byte) (*Request, []byte, error) {
	d := Reader{r: r, buf: buf[:0]}
	req, err := d.Next()
	return req, d.buf, err
}

// complete returns the length of the request in b (0: not there yet); only bytes
// from old-1 on are new. The end is an empty field: two NULs in a row.
func complete(b []byte, old int) int {
	for i := max(old, 1); i < len(b); i++ {
		if b[i] == 0 && b[i-1] == 0 {
			return i + 1
		}
	}
	return 0
}

func parse(b []byte) (*Request, error) {
	i := indexByte(b, 0)
	if i < 0 || i < len("extdir ") || string(b[:len("extdir ")]) != "extdir " {
		return nil, ErrMalformed
	}
	if string(b[:i]) != magic {
		return nil, ErrVersion
	}
	b = b[i+1:]
	i = indexByte(b, 0)
	if i <= 0 {
		return nil, ErrMalformed
	}
	req := &Request{Kind: string(b[:i])}
	fields, err := ParseFields(b[i+1 : len(b)-1])
	if err != nil {
		return nil, err
	}
	req.Fields = fields
	return req, nil
}

func indexByte(b []byte, c byte) int {
	for i := range b {
		if b[i] == c {
			return i
		}
	}
	return -1
}

// Verdicts and other second words of a reply.
const (
	Allow  = "allow"
	Block  = "block"  // ARG: id of the decision
	Prompt = "prompt" // ARG: id of the pending request
	NeedIt = "need"   // ARG: id; the detail names what the daemon wants to know of the shell
	OK     = "ok"
	Error  = "error" // ARG: one word; the body is not sent
	Body   = "body"  // ARG: number of bytes that follow
)

// Reply is a parsed reply line.
type Reply struct{ Seq, Verdict, Arg string }

// Append appends the reply line to b. Fields too long for the line are cut, seq
// first: a cut seq doesn't match and so can't be taken for an answer.
func (r Reply) Append(b []byte) []byte {
	seq := r.Seq
	if seq == "" {
		seq = "-"
	}
	start := len(b)
	room := ReplyLen - 1 - len(Version) - 1 - 1 - len(r.Verdict) - 1 - len(r.Arg)
	if len(seq) > room {
		seq = seq[:max(room, 0)]
	}
	b = append(b, Version...)
	b = append(b, ' ')
	b = append(b, seq...)
	b = append(b, ' ')
	b = append(b, r.Verdict...)
	if r.Arg != "" {
		b = append(b, ' ')
		b = append(b, r.Arg...)
	}
	if len(b) > start+ReplyLen-1 {
		b = b[:start+ReplyLen-1]
	}
	for len(b) < start+ReplyLen-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}

// ParseReply reads a reply line of ReplyLen bytes.
func ParseReply(b []byte) (Reply, error) {
	if len(b) != ReplyLen || b[ReplyLen-1] != '\n' {
		return Reply{}, ErrReply
	}
	var f [5]string
	n := 0
	for i := 0; i < ReplyLen-1; {
		if b[i] == ' ' {
			i++
			continue
		}
		j := i
		for j < ReplyLen-1 && b[j] != ' ' {
			j++
		}
		if n == len(f) {
			return Reply{}, ErrReply
		}
		f[n] = string(b[i:j])
		n++
		i = j
	}
	if n < 3 || f[0] != Version {
		return Reply{}, ErrReply
	}
	return Reply{Seq: f[1], Verdict: f[2], Arg: f[3]}, nil
}

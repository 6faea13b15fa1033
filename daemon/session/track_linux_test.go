package session

import (
	"bytes"
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// message makes a fork event as the kernel sends it.
func message(idx, what uint32, fields ...uint32) []byte {
	var b bytes.Buffer
	le := binary.NativeEndian
	head := make([]byte, nlHeaderLen+cnHeaderLen+eventHeaderLen)
	le.PutUint32(head[nlHeaderLen:], idx)
	le.PutUint32(head[nlHeaderLen+4:], cnValProc)
	le.PutUint32(head[nlHeaderLen+cnHeaderLen:], what)
	b.Write(head)
	for _, f := range fields {
		_ = binary.Write(&b, le, f)
	}
	return b.Bytes()
}

func TestEvent(t *testing.T) {
	what, body, ok := event(message(cnIdxProc, procEventFork, 1, 2, 3, 4))
	if !ok || what != procEventFork || len(body) != 16 || binary.NativeEndian.Uint32(body[4:]) != 2 {
		t.Error(what, body, ok)
	}
	if _, _, ok := event(message(7, procEventFork, 1, 2, 3, 4)); ok {
		t.Error("another connector's message was taken")
	}
	if _, _, ok := event(make([]byte, 20)); ok {
		t.Error("a short message was taken")
	}
	if fromKernel(&unix.SockaddrNetlink{Pid: 7}) {
		t.Error("another process's message was taken for the kernel's")
	}
}

func FuzzEvent(f *testing.F) {
	f.Add(message(cnIdxProc, procEventFork, 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, b []byte) { event(b) })
}

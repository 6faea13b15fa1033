package main

//lint:file-ignore U1000 ahead and what it uses are called from entry_linux_amd64.s

import (
	"unsafe"

	"extdir/hook"
)

// Starting the Go runtime costs several times what the question to the daemon
// costs (about 200 page faults and as many system calls). So a release is linked
// with -E main.entry, and for the usual case, an allowed line, the runtime never
// starts: ahead gathers the request, asks, and ends the process. In every other
// case, and for anything it doesn't understand, the runtime starts as if nothing
// had been, and hook.Main goes on with what ahead has read and sent.
//
// Without the linker flag this is dead code, and the program the same but for its
// speed. The tests of package hook and of the shells run both.
//
// Everything here runs before the runtime: no allocation, no growing stack, no
// panic, only static memory. It decides nothing but "the daemon said allow".

const (
	room     = 128 << 10 // for what the shell hands over; more is hook.Main's
	patience = 60        // milliseconds for the reply; then hook.Main waits
)

var (
	thread [128]byte // stands in for thread-local storage

	input    [room]byte
	inputLen int
	inputEnd bool

	request    [room + 8<<10]byte
	requestLen int
	overflow   bool

	reply    [64]byte
	replyLen int
	conn     int // 1 + descriptor of the connection, if the request went out on it

	path [108]byte
	stat [144]byte
	cred [3]uint32
	fds  [2]uint32
)

// sys is a raw system call.
func sys(number, a, b, c, d, e uintptr) uintptr

// entry is where the kernel starts the program; never called from Go.
func entry()

// taken is what ahead did before the runtime started.
func taken() hook.Ahead {
	a := hook.Ahead{Fd: conn - 1}
	if inputLen > 0 || inputEnd {
		a.Input, a.InputEnd = input[:inputLen], inputEnd
	}
	a.Reply = reply[:replyLen]
	return a
}

// System call numbers of Linux on amd64.
const (
	sysRead       = 0
	sysClose      = 3
	sysPoll       = 7
	sysSocket     = 41
	sysConnect    = 42
	sysSendto     = 44
	sysGetsockopt = 55
	sysGetcwd     = 79
	sysNewfstatat = 262
)

//go:nosplit
func failed(r uintptr) bool { return r > ^uintptr(4095) }

//go:nosplit
func at(p *byte, i int) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(p), i)) }

// starts tells whether the text at p begins with s.
//
//go:nosplit
func starts(p *byte, s string) bool {
	for i := 0; i < len(s); i++ {
		if at(p, i) != s[i] {
			return false
		}
	}
	return true
}

//go:nosplit
func length(p *byte) int {
	n := 0
	for at(p, n) != 0 {
		n++
	}
	return n
}

// put appends n bytes at p to the request.
//
//go:nosplit
func put(p *byte, n int) {
	if requestLen+n > len(request) {
		overflow = true
		return
	}
	for i := 0; i < n; i++ {
		request[requestLen+i] = at(p, i)
	}
	requestLen += n
}

//go:nosplit
func puts(s string) { put(unsafe.StringData(s), len(s)) }

// ahead returns 0 if the daemon allowed the line, else 1. sp is the stack as the
// kernel made it: argc, argv, nil, environment, nil, auxiliary vector.
//
//go:nosplit
func ahead(sp unsafe.Pointer) int {
	argc := *(*int)(sp)
	var socket *byte
	tell, verb, cwd, line := false, false, false, false
	for i := 2; i <= argc; i++ {
		p := *(**byte)(unsafe.Add(sp, 8*i))
		switch {
		case starts(p, "check\x00"):
			verb = true
		case starts(p, "tell\x00"):
			verb, tell = true, true
		case starts(p, "socket="):
			socket = (*byte)(unsafe.Add(unsafe.Pointer(p), len("socket=")))
		}
	}
	if !verb || socket == nil {
		return 1
	}
	if tell {
		puts("extdir 1\x00tell\x00")
	} else {
		puts("extdir 1\x00check\x00")
	}
	for i := 2; i <= argc; i++ {
		p := *(**byte)(unsafe.Add(sp, 8*i))
		if starts(p, "check\x00") || starts(p, "tell\x00") || option(p) {
			continue
		}
		if starts(p, "cwd=") {
			cwd = true
		}
		put(p, length(p)+1)
	}
	env := unsafe.Add(sp, 8*(argc+2))
	for {
		p := *(**byte)(env)
		env = unsafe.Add(env, 8)
		if p == nil {
			break
		}
		if starts(p, "EXTDIR_LINE=") {
			line = true
			puts("line=")
			put((*byte)(unsafe.Add(unsafe.Pointer(p), len("EXTDIR_LINE="))), length(p)+1-len("EXTDIR_LINE="))
		}
	}
	if !line {
		switch fields(tell) {
		case 0:
			return 1
		case 2:
			cwd = true
		}
	}
	if !tell && !cwd {
		puts("cwd=")
		n := sys(sysGetcwd, uintptr(unsafe.Pointer(&request[requestLen])), 4096, 0, 0, 0)
		if overflow || failed(n) || request[requestLen] != '/' {
			return 1
		}
		requestLen += int(n)
	}
	puts("seq=1\x00\x00")
	if overflow {
		return 1
	}
	// AT_EUID of the auxiliary vector saves a system call.
	euid := ^uint32(0)
	for ; *(*uint64)(env) != 0; env = unsafe.Add(env, 16) {
		if *(*uint64)(env) == 12 {
			euid = uint32(*(*uint64)(unsafe.Add(env, 8)))
		}
	}
	if !dial(socket, euid) {
		return 1
	}
	return ask()
}

// option tells whether a word is for the hook and no field of the request.
//
//go:nosplit
func option(p *byte) bool {
	switch at(p, 0) {
	case 's':
		return starts(p, "socket=") || starts(p, "state=")
	case 'c':
		return starts(p, "config=")
	case 'k':
		return starts(p, "keep=")
	case 'e':
		return starts(p, "extdird=")
	case 'd':
		return starts(p, "dir=") || starts(p, "dropfile=")
	case 'f':
		return starts(p, "fail=")
	case 't':
		return starts(p, "trap=")
	case 'n':
		return starts(p, "needfile=") || starts(p, "number=")
	case 'v':
		return starts(p, "verdict=")
	case 'h':
		return starts(p, "history=") || starts(p, "histcontrol=")
	case 'p':
		return starts(p, "previous=")
	}
	return false
}

// fields reads standard input and puts its fields into the request. 0: not to be
// done here; 2: the directory was among them; 1: done.
//
//go:nosplit
func fields(tell bool) int {
	for {
		if inputLen >= room-1 {
			return 0
		}
		n := sys(sysRead, 0, uintptr(unsafe.Pointer(&input[inputLen])), uintptr(room-1-inputLen), 0, 0)
		if failed(n) {
			return 0 // EINTR, too
		}
		if n == 0 {
			break
		}
		inputLen += int(n)
	}
	inputEnd = true
	input[inputLen] = 0
	result := 1
	history, previous, number, control := -1, -1, -1, -1
	historyEnd, previousEnd := 0, 0
	told := false
	for i := 0; i < inputLen; {
		p := &input[i]
		n := length(p)
		switch {
		case n == 0:
		case !option(p):
			if starts(p, "cwd=") {
				result = 2
			}
			if starts(p, "line=") || starts(p, "hist=off") {
				told = true
			}
			put(p, n+1)
		case starts(p, "history="):
			history, historyEnd = i+len("history="), i+n
		case starts(p, "previous="):
			previous, previousEnd = i+len("previous="), i+n
		case starts(p, "number="):
			number = i + len("number=")
		case starts(p, "histcontrol="):
			control = i
		}
		i += n + 1
	}
	if history < 0 {
		if !told && !tell {
			return 0
		}
		return result
	}
	if told || number < 0 || inputLen == historyEnd-1 {
		return 0
	}
	// "%5d%c %s\n" with the number that the prompt expander counted
	i := history
	for input[i] == ' ' || input[i] == '\t' {
		i++
	}
	for input[number] != 0 && input[i] == input[number] {
		i++
		number++
	}
	if input[number] != 0 || input[i] != ' ' && input[i] != '*' || input[i+1] != ' ' {
		return 0
	}
	i += 2
	if historyEnd > i && input[historyEnd-1] == '\n' {
		historyEnd--
	}
	if control >= 0 {
		// What may have to leave the history is hook.Main's to handle: a leading
		// blank, and what may be the same line once more.
		n := historyEnd - i
		end := previousEnd - (historyEnd + 1 - history) - 1
		if input[i] == ' ' || previous < 0 {
			return 0
		}
		if end-n >= previous {
			same := true
			for k := 0; k < n; k++ {
				if input[i+k] != input[end-n+k] {
					same = false
				}
			}
			if same {
				return 0
			}
		}
	}
	puts("line=")
	put(&input[i], historyEnd-i)
	puts("\x00")
	return result
}

// dial connects to the daemon, with the checks of wire.Dial: the directory of the
// socket is the user's alone, and so is the process at the other end.
//
//go:nosplit
func dial(socket *byte, euid uint32) bool {
	n := length(socket)
	if n > len(path)-4 || at(socket, 0) != '/' {
		return false
	}
	dir := 0
	path[0] = 1 // AF_UNIX, and the zero above it
	for i := 0; i < n; i++ {
		path[2+i] = at(socket, i)
		if at(socket, i) == '/' {
			dir = i
		}
	}
	path[2+dir] = 0
	const atFdcwd, noFollow = ^uintptr(99), 0x100
	if failed(sys(sysNewfstatat, atFdcwd, uintptr(unsafe.Pointer(&path[2])), uintptr(unsafe.Pointer(&stat[0])), noFollow, 0)) {
		return false
	}
	path[2+dir] = '/'
	// struct stat: st_mode at 24, st_uid at 28
	mode := uint32(stat[24]) | uint32(stat[25])<<8
	uid := uint32(stat[28]) | uint32(stat[29])<<8 | uint32(stat[30])<<16 | uint32(stat[31])<<24
	if mode&0o170077 != 0o040000 || uid != euid {
		return false
	}
	const stream, nonblock, cloexec = 1, 0o4000, 0o2000000
	fd := sys(sysSocket, 1, stream|nonblock|cloexec, 0, 0, 0)
	if failed(fd) {
		return false
	}
	fds[0], fds[1] = 12, 0
	if failed(sys(sysConnect, fd, uintptr(unsafe.Pointer(&path[0])), uintptr(n+3), 0, 0)) ||
		// SOL_SOCKET, SO_PEERCRED
		failed(sys(sysGetsockopt, fd, 1, 17, uintptr(unsafe.Pointer(&cred[0])), uintptr(unsafe.Pointer(&fds[0])))) ||
		cred[1] != euid {
		sys(sysClose, fd, 0, 0, 0, 0)
		return false
	}
	fds[0] = uint32(fd)
	return true
}

// ask sends the request and reads the reply.
//
//go:nosplit
func ask() int {
	fd := uintptr(fds[0])
	const noSignal = 0x4000 // a daemon that just died must not end the hook with SIGPIPE
	n := sys(sysSendto, fd, uintptr(unsafe.Pointer(&request[0])), uintptr(requestLen), noSignal, 0)
	if int(n) != requestLen {
		sys(sysClose, fd, 0, 0, 0, 0) // half a request is none
		return 1
	}
	conn = int(fd) + 1
	fds[1] = 1 // POLLIN
	if sys(sysPoll, uintptr(unsafe.Pointer(&fds[0])), 1, patience, 0, 0) != 1 {
		return 1
	}
	n = sys(sysRead, fd, uintptr(unsafe.Pointer(&reply[0])), 64, 0, 0)
	if failed(n) {
		return 1
	}
	replyLen = int(n)
	const allow = "1 1 allow"
	if n != 64 || !starts(&reply[0], allow) || reply[63] != '\n' {
		return 1
	}
	for i := len(allow); i < 63; i++ {
		if reply[i] != ' ' {
			return 1
		}
	}
	return 0
}

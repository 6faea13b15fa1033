package hook

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// tcflush throws away the input that nobody has read yet (FREAD of
// sys/fcntl.h, as tcflush(3) of Apple's libc passes it).
func tcflush(fd int) { unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) }

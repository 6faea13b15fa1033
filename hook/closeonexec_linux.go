package hook

import "golang.org/x/sys/unix"

// closeOnExec marks every descriptor above standard error. close_range with this
// flag is in Linux since 5.11; before, the daemon starts with what it inherits.
func closeOnExec() { unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) }

package hook

import "golang.org/x/sys/unix"

// closeOnExec marks every descriptor above standard error, up to the number that
// a shell commonly has open.
func closeOnExec() {
	for fd := 3; fd < 256; fd++ {
		unix.CloseOnExec(fd)
	}
}

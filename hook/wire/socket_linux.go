package wire

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// SocketAddr is the address of the socket name in the open directory fd, at most
// 108 bytes long however deep the directory lies (unix(7)), and naming the very
// directory that was checked.
func SocketAddr(fd int, _, name string) (*unix.SockaddrUnix, error) {
	return &unix.SockaddrUnix{Name: "/proc/self/fd/" + strconv.Itoa(fd) + "/" + name}, nil
}

func socket() (int, error) {
	return unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

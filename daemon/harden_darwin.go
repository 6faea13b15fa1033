package daemon

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Harden keeps debuggers from attaching to this process (ptrace(2),
// PT_DENY_ATTACH).
func Harden() error {
	if err := unix.PtraceDenyAttach(); err != nil {
		return fmt.Errorf("can't keep other processes from attaching to the daemon: %w", err)
	}
	return nil
}

package term

import (
	"os"
	"syscall"
	"testing"
)

// Program writes an executable file. No process is forked while it is open: a child
// forked then holds it open for writing until it runs its own program, and meanwhile
// the kernel refuses to run the file ("text file busy", execve(2)).
func Program(tb testing.TB, path string, text []byte) {
	tb.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, text, 0o755)
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = os.Chmod(path, 0o755) // whatever the umask
	}
	if err != nil {
		tb.Fatal(err)
	}
}

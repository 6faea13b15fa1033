package launch

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// passedOn are the signals that mean the program and not its wrapper. INT and
// QUIT are among them only where no terminal sends them to both.
var passedOn = []os.Signal{unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH, unix.SIGINT, unix.SIGQUIT}

// supervise runs argv and waits for it. The child stays in the wrapper's process
// group, so that job control above sees one job; an interactive shell takes a
// group and the terminal for itself and gives both back.
func supervise(path string, argv, env []string) (int, error) {
	if err := becomeReaper(); err != nil {
		return 1, fmt.Errorf("can't become the reaper of the session: %w", err)
	}
	signals := make(chan os.Signal, 16)
	// Notify and not Ignore: an ignored signal would stay ignored in the child.
	signal.Notify(signals, passedOn...)
	defer signal.Stop(signals)

	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, unix.SIGCONT)
	defer signal.Stop(resumed)

	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		return 1, fmt.Errorf("can't start %s: %w", path, err)
	}
	terminal := isTerminal(0)
	go func() {
		for s := range signals {
			n := s.(syscall.Signal)
			if terminal && (n == unix.SIGINT || n == unix.SIGQUIT || n == unix.SIGWINCH) {
				continue // the terminal told the child as well
			}
			syscall.Kill(pid, n)
		}
	}()
	for {
		var st syscall.WaitStatus
		got, err := syscall.Wait4(-1, &st, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 1, fmt.Errorf("lost the program: %w", err)
		case got != pid: // an orphan of the session, or a stop of one
		case st.Stopped() && !terminal:
		case st.Stopped():
			// `suspend` in the shell, Ctrl-Z in a program: stop like it, so that the
			// shell above gets the terminal back, and go on with it. A stop signal
			// takes its time to reach all threads; the way on is SIGCONT.
			select {
			case <-resumed: // of an earlier stop
			default:
			}
			syscall.Kill(os.Getpid(), unix.SIGSTOP)
			<-resumed
			syscall.Kill(pid, unix.SIGCONT)
		case st.Exited():
			return st.ExitStatus(), nil
		case st.Signaled():
			return 128 + int(st.Signal()), nil
		}
	}
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	return err == nil
}

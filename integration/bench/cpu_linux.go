package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time of the calling thread, which main holds on to.
func cpuTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

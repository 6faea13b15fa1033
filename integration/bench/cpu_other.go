//go:build !linux

package main

import "time"

var started = time.Now()

// cpuTime is the time that passed: a thread's own isn't to be had everywhere.
func cpuTime() time.Duration { return time.Since(started) }

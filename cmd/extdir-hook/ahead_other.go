//go:build !(linux && amd64)

package main

import "extdir/hook"

// taken: nothing runs ahead of the runtime on this system.
func taken() hook.Ahead { return hook.Ahead{Fd: -1} }

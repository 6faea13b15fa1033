package term

import (
	"fmt"
	"os/exec"
	"runtime"
)

// ReleaseFlags are the linker flags of an extdir-hook that answers before the Go
// runtime starts; "" where there is none such (cmd/extdir-hook).
func ReleaseFlags() string {
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		return "-s -w -E main.entry"
	}
	return ""
}

// BuildHook builds extdir-hook as it is released.
func BuildHook(path string) error {
	out, err := exec.Command("go", "build", "-ldflags="+ReleaseFlags(), "-o", path, "extdir/cmd/extdir-hook").CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot build extdir-hook: %w\n%s", err, out)
	}
	return nil
}

package word

import (
	"flag"
	"os"
	"testing"
)

// The random tests draw the same words on every run, so that a commit doesn't pass
// today and fail tomorrow. To search: -rapid.seed=N -rapid.checks=5000.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() == "0" {
		if err := f.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

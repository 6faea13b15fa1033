package command

import "testing"

func TestOtherNames(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for name, like := range map[string]string{
		"python3.12": "python3", "python-3.12": "python", "gcc-13": "gcc", "clang++-17": "clang++", "x86_64-linux-gnu-gcc": "gcc",
		"x86_64-linux-gnu-gcc-13": "gcc", "i686-w64-mingw32-g++": "g++", "arm-none-eabi-objcopy": "objcopy", "clang-format-15": "clang-format",
		"md5": "md5", "base64": "base64",
		// Nothing says that these are other versions of something.
		"cat2": "", "echo3": "", "gcc-": "", "gcc.13": "", "my-gcc": "", "a-b-c-d-e-gcc": "", "arm-none-eabi-echo": "", "13": "",
	} {
		got, ok := table.spec(name)
		switch {
		case like == "" && ok:
			t.Errorf("%s is read as %s", name, got.name())
		case like != "" && got != table.specs[like]:
			t.Errorf("%s isn't read as %s", name, like)
		}
	}
}

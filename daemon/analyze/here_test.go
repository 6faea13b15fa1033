package analyze

import (
	"strings"
	"testing"
)

// What a command makes where it stands is written there: said of lines that went out of
// the project, and of none that didn't.
func TestWritesHere(t *testing.T) {
	a := analyzer(t, world(t))
	for _, line := range []string{
		"tar xf a.tar", "tar -xzf a.tgz dir", "unzip x.zip", "7z x a.7z", "curl -O https://h/x", "curl --remote-name-all https://h/x", "wget https://h/x",
		"git init", "git clone https://h/r", "git pull", "git checkout main", "git commit -m x", "git reset --hard", "git stash", "npm install", "npm ci", "yarn install",
		"split big", "csplit a /x/", "gcc a.c", "cmake .", "patch -p1 -i x.diff",
	} {
		got := found(a.Analyze(request("cd /p/other && " + line)))
		if !strings.Contains(got+",", "w /p/other,") {
			t.Errorf("%s elsewhere: %s", line, got)
		}
		if got := found(a.Analyze(request(line + "; cat README.md; ./run.sh"))); got != "" {
			t.Errorf("%s in the project: %s", line, got)
		}
	}
	for _, line := range []string{
		"tar tf a.tar", "tar xOf a.tar", "tar -xf a.tar -C /p/app", "unzip -l x.zip", "unzip x.zip -d /p/app", "7z l a.7z", "curl https://h/x", "curl -o /p/app/x https://h/x",
		"wget -O /p/app/x https://h/x", "git status", "git log", "git clone https://h/r /p/app/r", "npm test", "npm install -g x", "gcc -o /p/app/x /p/app/a.c", "ls", "grep -r x",
	} {
		if got := found(a.Analyze(request("cd /p/other && " + line))); strings.Contains(got, "w ") {
			t.Errorf("%s writes elsewhere: %s", line, got)
		}
	}
}

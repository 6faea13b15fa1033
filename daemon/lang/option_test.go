package lang

import "testing"

func TestOptions(t *testing.T) {
	check(t, "jq", []sample{
		{`import "a" as a {search: "/opt/jq"}; .`, "read /opt/jq/a"},
		{`include "./m"; .x`, "read ./m"},
		{`import "m" as m; m::f`, ""},
		{`.path | test("^/tmp/")`, ""},
		{`map(.a/.b) | input_filename | @sh`, ""},
		{`.x == "…"`, ""},
	})
	check(t, "yq", []sample{
		{`. * load("/etc/x.yml")`, "read /etc/x.yml"},
		{`.a = load_str("../" + .name)`, "read ../…"},
		{`.a = load(.name)`, "unknown"},
		{`.load == "/etc/x"`, ""},
	})
	check(t, "gdb", []sample{
		{"shell cat /etc/passwd", "shell cat /etc/passwd"},
		{"!ls /x", "shell ls /x"},
		{"source /tmp/x.gdb", "execute /tmp/x.gdb"},
		{"file /bin/ls", "read /bin/ls"},
		{"dump binary memory /tmp/o 0 10", "write /tmp/o"},
		{"set logging file /tmp/log", "write /tmp/log"},
		{"python open('/etc/x')", "read /etc/x"},
		{"p system(\"cat /x\")", "shell cat /x"},
		{"run < /etc/x", "shell : < /etc/x"},
		{"| bt | cat > /x", "shell  cat > /x"},
		{"bt full", ""},
		{"break main.c:3", ""},
		{"p x/2", ""},
		{"x/16xb $sp", ""},
		{"…", "unknown"},
	})
	check(t, "sshoption", []sample{
		{"ProxyCommand=nc %h %p", "shell nc %h %p"},
		{"proxycommand cat /etc/x", "shell cat /etc/x"},
		{"ProxyCommand=none", ""},
		{"IdentityFile=~/.ssh/id", "read HOME/.ssh/id"},
		{"UserKnownHostsFile=/tmp/k", "write /tmp/k"},
		{"ControlPath=/tmp/%r@%h:%p", "write /tmp/…@…:…"},
		{"IdentityFile=%d/.ssh/id", "read HOME/.ssh/id"},
		{"StrictHostKeyChecking=no", ""},
		{"ConnectTimeout=5", ""},
		{"…", "unknown"},
		{"Port=…", ""},
		{"IdentityFile=/x/…", "read /x/…"},
	})
	check(t, "curlconfig", []sample{
		{"url = \"https://x.org/\"\noutput = \"/tmp/x\"\n# output=/y\n", "write /tmp/x"},
		{"--data @/etc/passwd", "read /etc/passwd"},
		{"-o /tmp/y\nform = \"f=@/etc/x;type=a\"", "write /tmp/y; read /etc/x"},
		{"url=file:///etc/x", "read /etc/x"},
		{"data = '/etc/x'\nheader: \"X: /y\"", ""},
		{"cookie = \"a=/b\"", ""},
		{"…", "unknown"},
	})
	check(t, "gitalias", []sample{{"!cat /etc/x", "shell cat /etc/x"}, {"log --oneline /etc", ""}, {"…", "unknown"}})
	check(t, "tarcheckpoint", []sample{
		{"exec=cat /etc/passwd", "shell cat /etc/passwd"}, {"dot", ""}, {"echo=/etc/x", ""}, {"…", "unknown"},
	})
	check(t, "rsyncfilter", []sample{
		{"merge /etc/f", "read /etc/f"}, {". /etc/f", "read /etc/f"}, {"- /etc/*", ""}, {"exclude /x", ""}, {":- .gitignore", ""}, {"dir-merge,n .f", ""}, {"…", "unknown"},
	})
	check(t, "opensslpass", []sample{
		{"file:/etc/p", "read /etc/p"}, {"pass:/etc/p", ""}, {"env:P", ""}, {"stdin", ""}, {"…", "read …"},
	})
	check(t, "gitpathspec", []sample{
		{":/src", ""}, {":!/x", ""}, {":(exclude)/x", ""}, {":(top)/x", ""}, {":^/x", ""}, {"../x", "read ../x"}, {":(icase)../x", "read ../x"},
	})
	check(t, "magick", []sample{
		{"@/etc/list", "read /etc/list"},
		{"label:@/etc/x", "read /etc/x"},
		{"label:/etc/x", ""},
		{"png:/tmp/x", "read /tmp/x"},
		{"msl:/tmp/x", "execute /tmp/x"},
		{"/tmp/a.gif[0]", "read /tmp/a.gif"},
		{"xc:red", ""},
		{"-", ""},
		{"rose:", ""},
		{"a.png", "read a.png"},
		{"https://x.org/a.png", ""},
	})
	check(t, "ffmpegfilter", []sample{
		{"movie=/etc/x.mp4 [a]; [in][a] overlay=10:10", "read /etc/x.mp4"},
		{"subtitles='/tmp/a b.srt':force_style='Fontsize=2'", "read /tmp/a b.srt"},
		{"lut3d=file=/tmp/x.cube,scale=1280:-1", "read /tmp/x.cube"},
		{"drawtext=text='/etc/x':fontfile=/usr/f.ttf", "read /usr/f.ttf"},
		{"ass=/tmp/x\\:y.ass", "read /tmp/x:y.ass"},
		{"vidstabdetect=shakiness=10:result=/tmp/t.trf", "write /tmp/t.trf"},
		{"scale=iw/2:ih/2,fps=1/60", ""},
		{"[0:v]setpts=PTS/2[v]", ""},
		{"scale=…:-1", ""},
		{"…", "unknown"},
		{"subtitles=…", "read …"},
	})
}

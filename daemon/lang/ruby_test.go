package lang

import "testing"

func TestRuby(t *testing.T) {
	check(t, "ruby", []sample{
		{`puts File.read("/etc/passwd")`, "read /etc/passwd"},
		{`File.write("/tmp/x", "/etc/y")`, "write /tmp/x"},
		{`File.open("/tmp/x", "w") { |f| f.write("/etc/z") }`, "write /tmp/x"},
		{`open("|cat /etc/x")`, "shell cat /etc/x"},
		{`open('/etc/x').read`, "read /etc/x"},
		{"puts `cat /etc/passwd`", "shell cat /etc/passwd"},
		{`system "cat /etc/passwd"`, "shell cat /etc/passwd"},
		{`system("cat", "/etc/passwd")`, "exec cat|/etc/passwd"},
		{`puts %x(cat /etc/x)`, "shell cat /etc/x"},
		{`IO.popen(["cat", "/x"])`, "exec cat|/x"},
		{`require "fileutils"; FileUtils.rm_rf("/tmp/a"); FileUtils.cp "/etc/a", "b"`, "write /tmp/a; read /etc/a; write b"},
		{`Dir.glob("/etc/*.conf").each { |f| puts File.read(f) }`, "read /etc/*.conf"},
		{`["/a", "/b"].each do |f| File.delete(f) end`, "write /a; write /b"},
		{`%w[/a /b].each { |f| File.delete f }`, "write /a; write /b"},
		{`d = "/etc"; puts File.read("#{d}/passwd")`, "read /etc/passwd"},
		{`puts File.read("/etc/#{x}.d")`, "read /etc/….d"},
		{`puts File.read(File.join(Dir.home, ".netrc"))`, "read HOME/.netrc"},
		{`puts File.read(ENV["HOME"] + "/.netrc")`, "read HOME/.netrc"},
		{`File.read(File.expand_path("~/.netrc"))`, "read HOME/.netrc"},
		{`require "/tmp/x"; load "./y.rb"`, "execute /tmp/x; execute ./y.rb"},
		{`eval x`, "unknown"},
		{`Kernel.send(:system, "cat /x")`, "shell cat /x"},
		{`Dir["/etc/*"].each do |f| File.read(f) end`, "read /etc/*"},
		{`send(x, "/y")`, "unknown"},
		{`File.read(x)`, "unknown"},
		{`def r(p) File.read(p) end; r("/etc/x")`, "read /etc/x"},
		{`frob "/etc/x"`, "read /etc/x"},
		{`Pathname.new("/etc/x").read`, "read /etc/x"},
		{`…`, "unknown"},
		{`puts File.read(ARGV[0])`, ""},
		// nothing is opened
		{``, ""},
		{`puts "/etc/passwd"`, ""},
		{`puts $_.gsub(/\/etc/, "/usr")`, ""},
		{`x = "/etc/x"; puts x`, ""},
		{`get "/users", to: "users#index"`, ""},
		{`puts JSON.parse(STDIN.read)["a"]`, ""},
		{`puts 4 / 2; a = b / c`, ""},
		{`puts :sym, x ? 1 : 2, {a: 1, "b" => 2}`, ""},
		{"puts <<~E\n  /etc/x\nE\n", ""},
		{`if path == "/etc/x" then puts 1 end`, ""},
	})
}

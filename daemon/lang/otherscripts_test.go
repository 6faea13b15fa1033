package lang

import "testing"

func TestPHP(t *testing.T) {
	check(t, "php", []sample{
		{`readfile("/etc/passwd");`, "read /etc/passwd"},
		{`echo file_get_contents('/etc/' . 'passwd');`, "read /etc/passwd"},
		{`$f = "/tmp/x"; file_put_contents($f, "/etc/y");`, "write /tmp/x"},
		{`$h = fopen("/tmp/x", "w");`, "write /tmp/x"},
		{`$d = 'etc'; echo file_get_contents("/$d/passwd");`, "read /etc/passwd"},
		{`echo file_get_contents("/etc/{$x}.conf");`, "read /etc/….conf"},
		{`system("cat /etc/x"); echo shell_exec('ls /y');`, "shell cat /etc/x; shell ls /y"},
		{"echo `cat /x`;", "shell cat /x"},
		{`include "/tmp/x.php"; require_once(__DIR__ . "/y.php");`, "execute /tmp/x.php; execute ./y.php"},
		{`foreach (glob("/etc/*.conf") as $f) echo file_get_contents($f);`, "read /etc/*.conf"},
		{`foreach (["/a", "/b"] as $f) { unlink($f); }`, "write /a; write /b"},
		{`$f = "system"; $f("cat /x");`, "shell cat /x"},
		{`$f("cat /x");`, "unknown"},
		{`call_user_func("system", "cat /x");`, "shell cat /x"},
		{`eval($x);`, "unknown"},
		{`function r($p) { return file_get_contents($p); } r("/etc/x");`, "read /etc/x"},
		{`echo file_get_contents("php://filter/read=a/resource=/etc/x");`, "read /etc/x"},
		{`echo file_get_contents(getenv("HOME") . "/.netrc");`, "read HOME/.netrc"},
		{`file_get_contents($x);`, "unknown"},
		{`frob("/etc/x");`, "read /etc/x"},
		{"<h1>/etc/x</h1><?php unlink('/x');", "write /x"},
		{`echo file_get_contents($argv[1]);`, ""},
		{`echo "/etc/x"; print '/y';`, ""},
		{`echo PHP_VERSION, 4 / 2;`, ""},
		{`if ($p == "/etc/x") { echo 1; } // unlink("/x")`, ""},
		{`echo json_decode(stream_get_contents(STDIN))->a;`, ""},
		{`Route::get("/users", [A::class, "b"]);`, ""},
	})
}

func TestLua(t *testing.T) {
	check(t, "lua", []sample{
		{`print(io.open("/etc/passwd"):read("*a"))`, "read /etc/passwd"},
		{`local f = io.open("/tmp/x", "w"); f:write("/etc/y")`, "write /tmp/x"},
		{`for l in io.lines "/etc/x" do print(l) end`, "read /etc/x"},
		{`os.execute("cat /x"); io.popen [[ls /y]]`, "shell cat /x; shell ls /y"},
		{`os.remove("/tmp/" .. "x")`, "write /tmp/x"},
		{`os["exec".."ute"]("cat /x")`, "shell cat /x"},
		{`os[x]("cat /x")`, "unknown"},
		{`dofile("/tmp/x.lua")`, "execute /tmp/x.lua"},
		{`io.open(os.getenv("HOME") .. "/.netrc")`, "read HOME/.netrc"},
		{`io.open(x)`, "unknown"},
		{`local t = {p = "/etc/x"} io.open(t.p)`, "read /etc/x"},
		{`vim.cmd("w /tmp/x"); vim.fn.system("cat x")`, "write /tmp/x; shell cat x"},
		{`io.open(arg[1])`, ""},
		{`print("/etc/x") -- io.open("/y")`, ""},
		{`local t = {1, 2, a = "b"}; print(#t, t.a)`, ""},
		{`for i = 1, 3 do print(i / 2) end`, ""},
	})
}

func TestR(t *testing.T) {
	check(t, "R", []sample{
		{`x <- read.csv("/data/x.csv"); write.csv(x, "/tmp/y.csv")`, "read /data/x.csv; write /tmp/y.csv"},
		{`writeLines("/etc/x", con = "/tmp/o")`, "write /tmp/o"},
		{`p <- file.path("/etc", "passwd"); print(readLines(p))`, "read /etc/passwd"},
		{`readRDS(paste0("/tmp/", "a", ".rds"))`, "read /tmp/a.rds"},
		{`system("cat /x")`, "shell cat /x"},
		{`system2("cat", c("/x"))`, "exec cat|/x"},
		{`source("~/x.R")`, "execute HOME/x.R"},
		{`cat("a", file = "/tmp/x")`, "write /tmp/x"},
		{`eval(parse(text = "readLines('/etc/x')"))`, "read /etc/x"},
		{`readLines(x)`, "unknown"},
		{`ggplot2::ggsave("/tmp/p.png")`, "write /tmp/p.png"},
		{`unlink("/tmp/d", recursive = TRUE)`, "write /tmp/d"},
		{`for (f in c("/a", "/b")) print(readLines(f))`, "read /a; read /b"},
		{`cat("/etc/x\n")`, ""},
		{`print(4 / 2); x <- c(1, 2); summary(x)`, ""},
		{`gsub("/etc", "/usr", x)`, ""},
		{`library(dplyr); sessionInfo()`, ""},
	})
}

func TestTcl(t *testing.T) {
	check(t, "tcl", []sample{
		{"spawn cat /etc/passwd; expect eof", "exec cat|/etc/passwd"},
		{"set f [open /etc/passwd r]; puts [read $f]", "read /etc/passwd"},
		{"set f [open \"/tmp/x\" w]", "write /tmp/x"},
		{"puts [exec cat /etc/x]", "exec cat|/etc/x"},
		{"open \"|cat /x\"", "shell cat /x"},
		{"if {1} { source /tmp/x.tcl }", "execute /tmp/x.tcl"},
		{"foreach f {/a /b} { file delete $f }", "write /a; write /b"},
		{"set d /etc; open $d/passwd", "read /etc/passwd"},
		{"open $x", "unknown"},
		{"eval $x", "unknown"},
		{"$cmd /x", "unknown"},
		{"system cat /x", "shell cat /x"},
		{"open $env(HOME)/.netrc", "read HOME/.netrc"},
		{"file copy /etc/a b", "read /etc/a; write b"},
		{"exec cat < /etc/x", "read /etc/x; exec cat"},
		{"while {[gets [open /etc/x] l] >= 0} { puts $l }", "read /etc/x"},
		{"send \"/etc/x\\r\"; expect \"/home\"", ""},
		{"puts /etc/x", ""},
		{"# open /x\nset timeout 5", ""},
	})
}

func TestAppleScript(t *testing.T) {
	check(t, "applescript", []sample{
		{`do shell script "cat /etc/passwd"`, "shell cat /etc/passwd"},
		{`do shell script "cat " & quoted form of x`, "shell cat …"},
		{`do shell script x`, "unknown"},
		{`read POSIX file "/etc/x"`, "write /etc/x"},
		{`tell app "Terminal" to do script "ls /x"`, "shell ls /x"},
		{`display notification "/etc/x" with title "y"`, ""},
	})
}

func TestElisp(t *testing.T) {
	check(t, "elisp", []sample{
		{`(message "/etc/x")`, ""},
		{`(progn (find-file "/etc/x") (write-region nil nil "/o"))`, "read /etc/x; write /o"},
		{`(with-temp-file "/o" (insert "/no") (insert-file-contents "/a b"))`, "read /a b; write /o"},
		{`(copy-file "/a" "/b\"c") ; (load "/no")`, `read /a; write /b"c`},
		{`(shell-command "cat /etc/x")`, "shell cat /etc/x"},
		{`(call-process "cat" nil t nil "/etc/x")`, "exec cat|/etc/x"},
		{`(load (expand-file-name "x" dir))`, "unknown"},
		{`(insert ?( "/no" ?\))`, ""},
		{`(eval (read "x"))`, "unknown"},
		{`(setq x '(a . "/no")) (load "/s.el")`, "execute /s.el"},
		{"(find-file …)", "unknown"},
		{`(find-file "/etc/…")`, "read /etc/…"},
		{"…", "unknown"},
	})
}

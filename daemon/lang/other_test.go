package lang

import "testing"

// Scala, Groovy, Clojure, Elixir, Julia, Haskell and Swift.
func TestOther(t *testing.T) {
	check(t, "other", []sample{
		{`println(scala.io.Source.fromFile("/etc/passwd").mkString)`, "read /etc/passwd"},
		{`new java.io.File("/x").delete()`, "write /x"},
		{`new File('/x').text = "/y"`, "read /x; read /y"},
		{`println "cat /etc/x".execute().text`, "shell cat /etc/x"},
		{`import sys.process._; "cat /x".!`, "shell cat /x"},
		{`(slurp "/etc/x")`, "read /etc/x"},
		{`(spit "/x" "text /y")`, "write /x"},
		{`(clojure.java.shell/sh "cat" "/x")`, "exec cat|/x"},
		{`(io/delete-file "/x")`, "write /x"},
		{`File.read!("/etc/x") |> IO.puts`, "read /etc/x"},
		{`File.write!("/x", "/y")`, "write /x"},
		{`File.rm_rf! "/x"`, "write /x"},
		{`File.cp("/a", "/b")`, "write /a; write /b"},
		{`System.cmd("cat", ["/x"])`, "exec cat|/x"},
		{`:os.cmd('cat /x')`, "shell cat /x"},
		{`rm("/x"); read("/y", String)`, "write /x; read /y"},
		{`open("/x", "w")`, "read /x; write /x"},
		{`rm(p)`, "unknown"},
		{`rm(ARGS[1])`, ""},
		{`writeFile "/x" "text"`, "write /x"},
		{`readFile "/x" >>= putStr`, "read /x"},
		{`try FileManager.default.removeItem(atPath: "/x")`, "write /x"},
		{`IO.puts("/etc/x")`, ""},
		{`print("a/b")`, ""},
		{`String.split("/a/b", "/")`, ""},
		{`frob("/etc/x")`, "read /etc/x"},
		{`File.read!("/etc/#{x}")`, "read /etc/…"},
	})
}

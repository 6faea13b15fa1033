package main

import (
	"bytes"
	"os"
	"testing"
)

// The table that ships is the one its source makes.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pack(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s isn't what %s makes; run: go run . pack", table, source)
	}
}

package command

import "extdir/daemon/access"

// Table is the command knowledge: specs, the base table below them and user
// specs above them. It is immutable and safe for concurrent use.
type Table struct{}

// Run classifies the words of one simple command, argv[0] being its name, and
// reports what it touches to g.
func (t *Table) Run(argv []access.Word, g Ground) {}

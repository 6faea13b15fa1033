package lang

import "extdir/daemon/access"

func readSQL(w access.Word, h Host) {}

// A module of its own: nothing of the generator reaches the shipped programs.
module extdir/daemon/command/specgen

go 1.26

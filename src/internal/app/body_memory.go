package app

import "runtime/debug"

// goMemoryLimit is GOMEMLIMIT as the process was started with: tuneGC changes what is in force.
var goMemoryLimit = debug.SetMemoryLimit(-1)

const (
	mostBodies  = 512 << 20 // also where nothing limits the memory of the process
	bodiesShare = 8         // otherwise one part of this many
)

// bodiesOf is how much memory the bodies may take that are held at the same time, of so much that there is.
func bodiesOf(available int64) int64 { return min(available/bodiesShare, mostBodies) }

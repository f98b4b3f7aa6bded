// Package faults runs several dovetail processes on one MongoDB-compatible database under random load and random faults, and checks
// what clients were answered:
//
//	go test ./test/faults -run 'TestFaults$' -count=1 -v -faults 2m            needs root, as scripts/documentdb does
//	go test ./test/faults -run 'TestFaults$' -count=1 -v -faults 2m -seed 7    the same choices again
//	go test ./test/faults -run 'TestRollingUpdates$' -count=1 -v -faults 90s        with the last supported version (supported.txt)
//	go test ./test/faults -run 'TestReplay$' -count=1 -v -replay FILE          checks the history of an earlier run again
//
// Between each process and the database is a Proxy, which cuts, delays and freezes connections and loses requests and answers. Processes
// are killed, stopped for longer than their lease, and given another clock; the database is restarted; the ref-schema changes. A
// process with another clock is the program itself, built with a package time whose Now adds what a shared file says (clock.go): so
// every use of the clock is wrong, in libraries too, and the product has no switch for it.
//
// Everything that clients saw is a History, and checks are functions of it alone, so that a run can be checked again from
// its file, and so that tests can alter a history and see that it is noticed.
//
// Most documents are written one by one, and in batches. Movers rename, revert, merge change sets, act, apply fields and claim values, each in cells
// of its own, so that what must be there is known after each answer.
//
// A run that failed is kept in testdata/seeds, and made again before others.
//
// Choices are drawn from the seed; what processes make of them depends on time. It is a client of the REST API, and of
// the database for what must not be left there.
package faults

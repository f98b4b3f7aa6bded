// Package bench measures Dovetail: its store beside PostgreSQL, etcd and raw bbolt at the same work, its REST API
// under load, and how both behave with a million documents. Every measurement is a Go benchmark, so that the go
// command runs it; `make bench-peers` in the root runs all and renders docs/benchmarks.md.
//
// It is a module of its own: the clients of the other systems are no dependency of Dovetail. Data is kept in the
// folder that the variable TMPDIR names, which must be on a real disk for the numbers to mean anything.
package bench

// Package lease is leader election: one of several processes on a database does the work that must be done once, such
// as reacting to a change. Each has a Lease of the same name, one of them leads, and when that one dies another takes
// over. A process that no longer leads may not know yet; its writes carry a fence (a fencing token), a condition that
// the store checks in the same transaction, so that they fail.
//
// A lease is two internal documents. `_lease/<name>` is written only when another process begins to lead:
// its version is the fence. `_beat/<name>` is the heartbeat, written periodically on the condition that no other process has
// written it: whoever begins to lead writes both. Clocks of processes are not compared: a candidate takes over after it saw no heartbeat for the lease
// duration by its own clock. On a database that only one process can have open at a time there is no other candidate,
// so the process leads at once and writes no heartbeats.
//
// It may import dovetail and the contract of package store; it knows neither services nor HTTP.
package lease

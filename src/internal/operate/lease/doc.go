// Package lease is leader election: one of several processes on a database does the work that must be done once, such
// as reacting to a change. Each process is a candidate for any number of tasks; one of them leads each task, and when that one
// dies another takes over. A process that has lost its lease may not have noticed; its writes carry a fence (a fencing token), a
// condition that the store checks in the same transaction, so that they fail.
//
// There are two kinds of internal documents. `_lease/<task>` is written only when another process begins to lead, or one ends:
// its version is the fence. It names the session of its leader. `_beat/<session>` is the heartbeat, one for all that a process
// leads, written periodically on the condition that no other process has deleted it: the process that takes over
// from a dead one deletes it. Clocks of processes are not compared: a candidate takes over after it saw no heartbeat for the lease
// duration by its own clock. On a database that only one process can have open at a time there is no other candidate,
// so the process leads at once and writes no heartbeats.
//
// Heartbeats are as rare as the lease duration allows, since an idle process writes nothing else; candidates check more often, so
// that a released lease is soon taken.
package lease

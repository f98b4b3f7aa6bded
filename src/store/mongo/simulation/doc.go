// Package simulation runs the commit protocol on a server in memory that has exactly the guarantees that
// package protocol assumes, under a scheduler that decides which process continues at every call, who dies,
// which answer is lost, which request comes late, and when a live process seems dead.
//
// Small scenarios are explored whole: every schedule, up to those that lead to a state that was met
// before. Larger ones are explored by random schedules from a seed. After each the history is held
// against what a single process would allow, and the documents against the rule that nothing dangles. A
// schedule that breaks a promise is printed step by step and can be replayed; those once found are tests.
//
// Mutants of the protocol, made by a server that disobeys one of its rules, prove that the exploration
// would find it out.
//
// It is for tests only.
package simulation

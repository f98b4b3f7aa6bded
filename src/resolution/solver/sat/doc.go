// Package sat decides the satisfiability of clauses under assumptions: a small solver by conflict-driven
// clause learning, with watched literals, activities, restarts and forgetting.
//
// It is made for problems in which few variables are true. It first decides by goals: of a clause
// whose negated variables are true it makes the first possible positive literal true, in the order
// in which clauses and literals were given, and what no clause asks for stays false. After many
// conflicts it continues with the variables that took part in the most recent ones.
//
// The same calls in the same order give the same answers, models included. It reads no clock, and stops when its caller
// says so.
package sat

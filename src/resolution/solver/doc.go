// Package solver chooses versions of packages. Of sources (packages, their versions, what these
// depend on and conflict with) and a list of constraints it makes the preferred solution, which is
// defined so that there is exactly one, or, if there is none, the few constraints that clash,
// the facts that make them clash, and what would help. docs/resolution.md describes it for users.
//
// Everything is a pure function of its input: the order in which sources, packages and versions
// were read does not matter, and the same problem gives the same bytes. Only a time limit can make
// a difference, and says so. Every solution is checked by Verify, which shares nothing with
// the search, before it is returned.
//
// Parsing is lenient in nothing: what is wrong is reported together, as *dovetail.Error with one
// of the reasons of this package.
package solver

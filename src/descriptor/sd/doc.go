// Package sd processes solution descriptors (SDs): the lists of applications, with versions
// and deploy postfixes, that make up a solution. It reads SDs, merges them in one of several modes, compares
// and checks them, and turns the SD_ parameters of a pipeline into the full and the delta SD of an
// environment. docs/solution-descriptors.md describes the rules for users.
//
// The package is pure: it changes none of its arguments, and calls nothing outside but the given
// Artifacts. Everything takes linear time. All errors are reported together,
// as *dovetail.Error with one of the reasons of this package and the position in the input.
package sd

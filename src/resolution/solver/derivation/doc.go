// Package derivation proves that facts about packages contradict each other, in steps that a person can follow: each says what follows from
// two or three facts or steps before. It finds the steps by the version solving algorithm PubGrub, as its author describes it in
// https://github.com/dart-lang/pub/blob/master/doc/solver.md.
//
// Packages and their versions are numbers here, and facts are incompatibilities: terms that never hold together. The
// same facts in the same order give the same steps.
package derivation

// Package expression compiles and evaluates expressions in CEL, the Common Expression Language, over values: the rules of a
// ref-schema are written in it, and conditions on versions of packages. Expressions are checked against types, which can be derived
// from JSON Schemas, read values without copies, and are bounded: in size and estimated cost when they are
// compiled, and in cost when they run, so that the same expression on the same values always ends in the same way.
package expression

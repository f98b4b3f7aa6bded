// Package impact describes the effect of changed documents on data that services derive from them: which values differ, and where.
// A service provides a Func; a change set calls all of them.
//
// It may import dovetail, value and store, and nothing else of Dovetail.
package impact

// Package impact describes the effect of changed documents on data that services derive from them: which values differ, and where.
// A service provides a Func; a change set calls all of them.
package impact

// Package impact says what changed documents do to what services derive from them: which values differ, and where. A service
// gives a Func; a change set asks all of them.
//
// It may import dovetail, value and store, and nothing else of Dovetail.
package impact

// Package apptest has common helpers for tests of whole servers and of the dovetail program: a server that runs until the
// test ends, a program that is the test program itself, in a process that tests kill, and the comparison of a store with its
// instance repositories.
//
// It does not import app, so that the tests of the composition root can import it. A test package passes the functions that
// start a server and run the program.
package apptest

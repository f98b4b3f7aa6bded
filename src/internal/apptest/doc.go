// Package apptest has common helpers for tests of whole servers and of the dovetail program: a server that runs until the
// test ends, and a program that is the test program itself.
//
// It imports nothing of Dovetail but memdir, so that the tests of the composition root can import it. A test package passes the
// functions that start a server and run the program.
package apptest

// Package doctor proves on a database server that what Dovetail relies on there holds, by doing it: in a scratch collection of its
// own, from several connections at the same time, with the commands that package mongo sends. It says what is missing and what that changes.
//
// It may import dovetail, package mongo for how connection strings are read, and the driver. It must not import the protocol, whose
// needs it states: a check that asked the protocol whether the server is good would ask too little.
package doctor

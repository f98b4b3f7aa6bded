// Package doctor proves on a database server that what Dovetail relies on there holds, by doing it: in a scratch collection of its
// own, from several connections at the same time, with the commands that package mongo sends. It says what is missing and what that changes.
//
// It does not use the protocol, whose needs it states: a check that asked the protocol whether the server is good would
// ask too little.
package doctor

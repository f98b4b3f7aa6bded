// Package gittest makes repositories of real Git for tests, reached by path or over HTTP, with a clone in
// which another user works.
package gittest

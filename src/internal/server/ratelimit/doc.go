// Package ratelimit limits how many requests one user sends in a second and has under way at the same time. It keeps
// the state of active users only, and of a bounded number of them, so that unknown users cannot fill the memory.
package ratelimit

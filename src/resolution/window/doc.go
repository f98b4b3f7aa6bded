// Package window knows when something may happen: windows of time that open by a schedule of cron in a time zone, and stay open for a
// while.
//
// It is pure: the time is given. It imports no other package of Dovetail.
package window

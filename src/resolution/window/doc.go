// Package window computes maintenance windows, which open by a cron schedule in a time zone and stay open for a duration.
//
// It is pure: the caller gives the time.
package window

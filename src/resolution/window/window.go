package window

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // so that zones are known wherever it runs

	"github.com/robfig/cron/v3"
)

// Window opens at the times of a schedule, and stays open for a duration. It is not changed after it was made.
type Window struct {
	schedule cron.Schedule
	zone     *time.Location
	duration time.Duration
}

// MaxDuration is how long a window may be open: a longer one is always open.
const MaxDuration = 7 * 24 * time.Hour

// Reasons why there is no such window, for the member that each is of.
var (
	ErrSchedule = errors.New("this is not a schedule")
	ErrNever    = errors.New("this schedule never comes")
	ErrZone     = errors.New("this is not a time zone")
	ErrDuration = errors.New("this is not a duration of up to a week")
)

// New makes a window. The schedule has the five fields of cron (minute, hour, day of the month, month, day of the week), or is a
// name such as @daily; the zone is that of IANA, "" for UTC; the duration is written as in Go. The error is one of those above.
func New(schedule, zone, duration string) (*Window, error) {
	w := &Window{zone: time.UTC}
	var err error
	if strings.Contains(schedule, "=") || strings.HasPrefix(strings.TrimSpace(schedule), "@every") { // a zone has its own member, and every has no start
		return nil, ErrSchedule
	}
	if w.schedule, err = cron.ParseStandard(schedule); err != nil {
		return nil, ErrSchedule
	}
	if zone != "" {
		if w.zone, err = time.LoadLocation(zone); err != nil || zone == "Local" {
			return nil, ErrZone
		}
	}
	if w.duration, err = time.ParseDuration(duration); err != nil || w.duration < time.Minute || w.duration > MaxDuration {
		return nil, ErrDuration
	}
	if w.Next(time.Unix(0, 0)).IsZero() {
		return nil, ErrNever
	}
	return w, nil
}

// Open reports whether the window is open at a time: from an opening on, until the duration has passed.
func (w *Window) Open(at time.Time) bool {
	opened := w.Next(at.Add(-w.duration))
	return !opened.IsZero() && !opened.After(at)
}

// Next is when the window opens next after a time, in its zone.
func (w *Window) Next(after time.Time) time.Time { return w.schedule.Next(after.In(w.zone)) }

// Opens reports whether one of the windows is open at a time, or when the first opens next. Without windows it is always open.
func Opens(windows []*Window, at time.Time) (next time.Time, open bool) {
	for _, w := range windows {
		if w.Open(at) {
			return time.Time{}, true
		}
		if opens := w.Next(at); next.IsZero() || opens.Before(next) {
			next = opens
		}
	}
	return next, len(windows) == 0
}

// Text shows a time in its zone, in a message.
func Text(at time.Time) string { return fmt.Sprintf("%s (%s)", at.Format(time.RFC3339), at.Location()) }

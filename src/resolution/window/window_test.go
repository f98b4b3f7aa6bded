package window_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution/window"
)

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestOpens asks at many times, also where clocks are changed.
func TestOpens(t *testing.T) {
	for _, c := range []struct {
		name, schedule, zone, duration string
		at                             string
		next                           string // "" for open
	}{
		{"before", "0 22 * * *", "", "2h", "2030-01-01T21:59:59Z", "2030-01-01T22:00:00Z"},
		{"from the first moment on", "0 22 * * *", "", "2h", "2030-01-01T22:00:00Z", ""},
		{"over midnight", "0 22 * * *", "", "4h", "2030-01-02T01:59:59Z", ""},
		{"no longer at the end", "0 22 * * *", "", "4h", "2030-01-02T02:00:00Z", "2030-01-02T22:00:00Z"},
		{"in a zone", "0 22 * * *", "Europe/Berlin", "2h", "2030-01-01T21:30:00Z", ""},
		{"in a zone, closed", "0 22 * * *", "Europe/Berlin", "2h", "2030-01-01T23:30:00Z", "2030-01-02T22:00:00+01:00"},
		{"in summer time", "0 22 * * *", "Europe/Berlin", "2h", "2030-07-01T20:30:00Z", ""},
		{"only at weekends", "0 0 * * 6", "", "48h", "2030-01-04T12:00:00Z", "2030-01-05T00:00:00Z"},
		{"all of a weekend", "0 0 * * 6", "", "48h", "2030-01-06T23:59:00Z", ""},
		{"lasts two hours where an hour is left out", "0 1 * * *", "Europe/Berlin", "2h", "2030-03-31T01:59:00Z", ""},
		{"an hour that is left out", "30 2 31 3 *", "Europe/Berlin", "1h", "2030-03-31T00:30:00Z", "2031-03-31T02:30:00+02:00"},
		{"by name", "@daily", "Asia/Kolkata", "1h", "2030-01-01T18:31:00Z", ""},
		{"windows that overlap", "*/30 * * * *", "", "1h", "2030-01-01T10:59:00Z", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := window.New(c.schedule, c.zone, c.duration)
			if err != nil {
				t.Fatal(err)
			}
			next, open := window.Opens([]*window.Window{w}, moment(t, c.at))
			if open != (c.next == "") || !open && next.Format(time.RFC3339) != c.next {
				t.Errorf("open %t, next %s", open, next.Format(time.RFC3339))
			}
		})
	}
	if _, open := window.Opens(nil, time.Now()); !open {
		t.Error("closed without windows")
	}
}

// TestFirstOfSeveral waits for the window that opens first.
func TestFirstOfSeveral(t *testing.T) {
	var all []*window.Window
	for _, zone := range []string{"America/New_York", "Asia/Tokyo", "Europe/Berlin"} {
		w, err := window.New("0 22 * * *", zone, "1h")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	next, open := window.Opens(all, moment(t, "2030-01-01T12:00:00Z"))
	if open || window.Text(next) != "2030-01-01T22:00:00+09:00 (Asia/Tokyo)" {
		t.Error(open, window.Text(next))
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, schedule, zone, duration string
		want                           error
	}{
		{"too few fields", "0 22 * *", "", "1h", window.ErrSchedule},
		{"an hour that is none", "0 25 * * *", "", "1h", window.ErrSchedule},
		{"nothing", "", "", "1h", window.ErrSchedule},
		{"a zone in the schedule", "CRON_TZ=UTC 0 22 * * *", "", "1h", window.ErrSchedule},
		{"a zone alone", "TZ=UTC", "", "1h", window.ErrSchedule},
		{"no times", "@every 1h", "", "1h", window.ErrSchedule},
		{"30 February", "0 0 30 2 *", "", "1h", window.ErrNever},
		{"an unknown zone", "@daily", "Europe/Berln", "1h", window.ErrZone},
		{"the zone of the machine", "@daily", "Local", "1h", window.ErrZone},
		{"a path", "@daily", "../UTC", "1h", window.ErrZone},
		{"no duration", "@daily", "", "", window.ErrDuration},
		{"a negative duration", "@daily", "", "-1h", window.ErrDuration},
		{"longer than a week", "@daily", "", "169h", window.ErrDuration},
	} {
		t.Run(c.name, func(t *testing.T) {
			if w, err := window.New(c.schedule, c.zone, c.duration); !errors.Is(err, c.want) || w != nil {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

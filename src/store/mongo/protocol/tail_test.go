package protocol

import (
	"testing"
	"time"
)

// TestSpacing holds the waits between polls to what is promised of watches: a change of another process reaches them within a second.
func TestSpacing(t *testing.T) {
	tests := []struct {
		name        string
		quiet, busy int
		took        time.Duration
		least, most time.Duration
	}{
		{name: "after a change", least: 25 * time.Millisecond, most: 250 * time.Millisecond},
		{name: "quiet for seconds", quiet: quietPolls, least: 25 * time.Millisecond, most: 500 * time.Millisecond},
		{name: "idle for a minute", quiet: idlePolls, least: 25 * time.Millisecond, most: 750 * time.Millisecond},
		{name: "changes all the time", busy: busyPolls, least: 83 * time.Millisecond, most: 250 * time.Millisecond},
		{name: "polls that take long", took: 20 * time.Millisecond, least: 180 * time.Millisecond, most: 250 * time.Millisecond},
		{name: "polls that take longer", took: time.Second, least: 250 * time.Millisecond, most: 250 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tail := newTail(New(nil, Env{Poll: Settings{}.WithDefaults().Poll}, ""))
			tail.quiet, tail.busy, tail.took = test.quiet, test.busy, test.took
			least, most := tail.spacing()
			if least.Truncate(time.Millisecond) != test.least || most != test.most {
				t.Errorf("waits from %v to %v, want %v to %v", least, most, test.least, test.most)
			}
		})
	}
}

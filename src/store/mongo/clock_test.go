package mongo

import "testing"

// As long as no position was taken there is a last one before all stamps, also where the time was asked for already: an update
// whose stamp cannot be held against it would stay locked for half a lease.
func TestLastNowBeforeAnyPosition(t *testing.T) {
	s := mustOpen(t, freshURI(t)).server
	for _, asked := range []bool{false, true} {
		if asked {
			if _, err := s.Time(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if taken, err := s.LastNow(t.Context()); err != nil || !taken.IsZero() {
			t.Errorf("the time was asked for %t: %v %v", asked, taken, err)
		}
	}
	now, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if taken, err := s.LastNow(t.Context()); err != nil || taken != now {
		t.Errorf("%v %v, want %v", taken, err, now)
	}
}

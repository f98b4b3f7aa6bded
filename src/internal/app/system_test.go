package app

import (
	"slices"
	"testing"
	"time"
)

// TestSystem shows what operators see of the processes, and that other users do not.
func TestSystem(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file, "rate": "500", "refusal-rate": "0"})
	for _, tt := range []struct {
		who    string
		status int
	}{{"root", 200}, {"reader", 200}, {"ann", 403}, {"norole", 403}, {"nobody", 401}} {
		t.Run(tt.who, func(t *testing.T) {
			if status, _, text := server.as(t, tokens[tt.who], "GET", "/v2/system", ""); status != tt.status {
				t.Errorf("got %d %s, want %d", status, text, tt.status)
			}
		})
	}
	type lease struct {
		Work, Holder string
		Term         int
		Since        time.Time
	}
	var got struct {
		Process, Store string
		Protocol       *struct{} // only of stores that several processes use
		Leases         []lease
		Limits         struct{ RequestsPerSecond float64 }
		Levels         []struct {
			Name  string
			Seats int
		}
	}
	leads := func() bool {
		_, _, text := server.as(t, tokens["root"], "GET", "/v2/system", "")
		decode(t, text, &got)
		return slices.ContainsFunc(got.Leases, func(l lease) bool {
			return l.Work == upkeepWork && l.Holder == got.Process && l.Term == 1 && !l.Since.IsZero()
		})
	}
	eventually(t, "the process leads", leads)
	if got.Store != "bolt" || got.Protocol != nil || got.Limits.RequestsPerSecond != 500 || len(got.Levels) != 2 || got.Levels[0].Name != "ordinary" || got.Levels[0].Seats == 0 {
		t.Errorf("%+v", got)
	}
	if status, _, text := server.as(t, tokens["root"], "GET", "/v2/system?kind=x", ""); status != 400 {
		t.Errorf("an unknown parameter is answered %d %s", status, text)
	}
}

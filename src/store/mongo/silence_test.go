package mongo

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// A write is answered once the server has answered nothing for the limit, however many commands it sends, and not while the server answers.
func TestSilence(t *testing.T) {
	const command = 9 * time.Second
	refused := mongo.CommandError{Code: 112, Message: "write conflict"}
	lost := mongo.CommandError{Labels: []string{"NetworkError"}, Message: "connection closed"}
	tests := []struct {
		name    string
		limit   time.Duration
		answers map[time.Duration]error // of commands of this process; nil is a success
		takes   time.Duration           // the write, if nothing ends it
		want    time.Duration           // the answer to the write
		unknown bool
	}{
		{name: "quick", limit: command, takes: time.Millisecond, want: time.Millisecond},
		{name: "just in time", limit: command, takes: command, want: command},
		{name: "silent", limit: command, takes: 16 * time.Second, want: command + moreThanCommand, unknown: true},
		{name: "silent after an answer", limit: command, answers: map[time.Duration]error{2 * time.Second: nil}, takes: time.Minute, want: 2*time.Second + command + moreThanCommand, unknown: true},
		{name: "slow", limit: command, answers: map[time.Duration]error{8 * time.Second: nil, 16 * time.Second: refused}, takes: 20 * time.Second, want: 20 * time.Second},
		{name: "lost answers are none", limit: command, answers: map[time.Duration]error{5 * time.Second: lost}, takes: time.Minute, want: command + moreThanCommand, unknown: true},
		{name: "no limit", takes: time.Hour, want: time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSilence(test.limit, clock.System)
				monitor := s.monitor(nil)
				for at, failure := range test.answers {
					time.AfterFunc(at, func() {
						if failure == nil {
							monitor.Succeeded(t.Context(), &event.CommandSucceededEvent{})
							return
						}
						monitor.Failed(t.Context(), &event.CommandFailedEvent{Failure: failure})
					})
				}
				began, own, finished := time.Now(), errors.New("its own"), make(chan struct{})
				err := s.bound(func() error {
					defer close(finished)
					<-time.After(test.takes)
					return own
				})
				if took := time.Since(began); took != test.want {
					t.Errorf("answered after %s, want %s", took, test.want)
				}
				if unknown := dovetail.CodeOf(err) == dovetail.CodeUnknown; unknown != test.unknown || !unknown && !errors.Is(err, own) {
					t.Errorf("got %v", err)
				}
				<-finished
			})
		})
	}
}

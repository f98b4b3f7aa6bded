package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options say what a Load does.
type Options struct {
	Server   string        // URL
	HTTP     *http.Client  // default one with a time limit of 10 s
	Cluster  string        // the document that all others are below; Start makes it
	Writers  int           // default 4
	Patience time.Duration // how long a writer repeats a request until it counts as failed; default 60 s
}

// Load is writers at work. Each owns some environments of a cluster and creates, replaces and deletes them, so it knows
// what each must be.
type Load struct {
	options Options
	stop    context.CancelFunc
	writers sync.WaitGroup

	acknowledged, repeated atomic.Int64

	mutex  sync.Mutex
	state  map[string]int // number that an environment holds, by name; -1 once deleted
	failed []string
}

// Start begins to write, once there is the cluster to write below.
func Start(ctx context.Context, o Options) (*Load, error) {
	if o.Writers == 0 {
		o.Writers = 4
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: 10 * time.Second}
	}
	l := &Load{options: o, state: make(map[string]int)}
	status, answer, err := l.retryUntilAnswered(ctx, http.MethodPut, "/v2/clusters/"+o.Cluster, map[string]any{"metadata": map[string]any{"name": o.Cluster}})
	if err != nil || status/100 != 2 {
		return nil, fmt.Errorf("the cluster cannot be written: %d %s %w", status, answer, err)
	}
	ctx, l.stop = context.WithCancel(ctx)
	for n := range o.Writers {
		l.writers.Go(func() { l.write(ctx, n) })
	}
	return l, nil
}

// write makes one change after the other until the context ends; the last one is finished.
func (l *Load) write(ctx context.Context, writer int) {
	const environments = 20
	random := rand.New(rand.NewPCG(uint64(writer), 1))
	for number := 1; ctx.Err() == nil; number++ {
		name := fmt.Sprintf("w%d-e%d", writer, random.IntN(environments))
		path := "/v2/clusters/" + l.options.Cluster + "/environments/" + name
		method, want, holds := http.MethodPut, 2, number
		var body any = map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{"number": number}}
		if random.IntN(5) == 0 && l.holds(name) > 0 {
			method, body, holds = http.MethodDelete, nil, -1
		}
		status, answer, err := l.retryUntilAnswered(context.WithoutCancel(ctx), method, path, body)
		if method == http.MethodDelete && status == http.StatusNotFound {
			status = http.StatusNoContent // the answer to the first try was lost
		}
		l.mutex.Lock()
		if err != nil || status/100 != want {
			l.failed = append(l.failed, fmt.Sprintf("%s %s: %d %s %v", method, path, status, answer, err))
			delete(l.state, name) // not known
		} else {
			l.state[name] = holds
			l.acknowledged.Add(1)
		}
		l.mutex.Unlock()
	}
}

func (l *Load) holds(name string) int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.state[name]
}

// retryUntilAnswered makes a request until it is answered, as a client may: with the same idempotency key.
func (l *Load) retryUntilAnswered(ctx context.Context, method, path string, body any) (status int, answer string, err error) {
	key := fmt.Sprintf("load-%016x", rand.Uint64())
	var text []byte // of a request without a body
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return 0, "", err
		}
	}
	for end := time.Now().Add(l.options.Patience); ; l.repeated.Add(1) {
		status, answer, err = l.once(ctx, method, path, key, text)
		retry := err != nil || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout || status == http.StatusBadGateway
		if !retry || time.Now().After(end) {
			return status, answer, err
		}
		select {
		case <-ctx.Done():
			return status, answer, ctx.Err()
		case <-time.After(time.Duration(50+rand.IntN(100)) * time.Millisecond):
		}
	}
}

func (l *Load) once(ctx context.Context, method, path, key string, body []byte) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, method, l.options.Server+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Idempotency-Key", key)
	answer, err := l.options.HTTP.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	return answer.StatusCode, string(text), err
}

// Snapshot is what the environments hold as far as it is acknowledged now; others may change meanwhile.
func (l *Load) Snapshot() map[string]int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	copied := make(map[string]int, len(l.state))
	for name, number := range l.state {
		copied[name] = number
	}
	return copied
}

// Acknowledged is how many writes were answered with success so far.
func (l *Load) Acknowledged() int { return int(l.acknowledged.Load()) }

// Report is the outcome of a Load.
type Report struct {
	Acknowledged int      // writes that were answered with success
	Repeated     int      // requests that were made again
	Failed       []string // requests that failed for good
	Lost         []string // documents that are not as acknowledged
}

// String sums it up.
func (r Report) String() string {
	return fmt.Sprintf("%d writes acknowledged, %d requests repeated, %d failed, %d lost", r.Acknowledged, r.Repeated, len(r.Failed), len(r.Lost))
}

// Stop ends the writers and reads back what they wrote, from the server at a URL, "" for the one they wrote to.
func (l *Load) Stop(ctx context.Context, server string) Report {
	l.stop()
	l.writers.Wait()
	r := Report{Acknowledged: l.Acknowledged(), Repeated: int(l.repeated.Load()), Failed: l.failed}
	if server != "" {
		l.options.Server = server
	}
	r.Lost = l.Compare(ctx, l.Snapshot(), func(want, got int) bool { return want == got })
	return r
}

// Compare reads environments and names those that are not as wanted; both numbers are -1 for one that does not exist.
func (l *Load) Compare(ctx context.Context, wanted map[string]int, same func(want, got int) bool) (different []string) {
	for name, want := range wanted {
		status, answer, err := l.retryUntilAnswered(ctx, http.MethodGet, "/v2/clusters/"+l.options.Cluster+"/environments/"+name, nil)
		got := -1
		if status == http.StatusOK {
			var document struct{ Spec struct{ Number int } }
			err = json.Unmarshal([]byte(answer), &document)
			got = document.Spec.Number
		}
		if err != nil || status != http.StatusOK && status != http.StatusNotFound || !same(want, got) {
			different = append(different, fmt.Sprintf("%s holds %d, want %d (%d %v)", name, got, want, status, err))
		}
	}
	return different
}

// At returns a Load that reads from another server.
func (l *Load) At(server string) *Load {
	options := l.options
	options.Server = server
	return &Load{options: options}
}

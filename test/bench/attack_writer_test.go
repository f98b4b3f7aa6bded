package bench

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// attackedWriter is the principal whose writes are measured.
type attackedWriter struct {
	address            string
	client             *http.Client
	collection, member string // what is written, and the member of its spec that changes
	written            int
}

func newAttackedWriter(address string) *attackedWriter {
	return &attackedWriter{address: address, client: &http.Client{Timeout: starved}, collection: "clusters", member: "written"}
}

// writes are how long writes took, and the outcomes of those that failed.
type writes struct {
	times   []time.Duration // in order
	failed  int
	failure string // of one of them
}

func (w *writes) quantile(q float64) time.Duration {
	if len(w.times) == 0 {
		return 0
	}
	return w.times[min(int(q*float64(len(w.times))), len(w.times)-1)]
}

// ratio compares with what writes took alone.
func (w *writes) ratio(alone *writes, q float64) float64 {
	return float64(w.quantile(q)) / float64(alone.quantile(q))
}

// run writes one document after the other, with pauses.
func (w *attackedWriter) run(t *testing.T, duration time.Duration) *writes {
	t.Helper()
	var result writes
	pauses := time.NewTicker(writePause)
	defer pauses.Stop()
	for end := time.Now().Add(duration); time.Now().Before(end); <-pauses.C {
		start := time.Now()
		if err := w.write(t); err != nil {
			result.failed++
			result.failure = err.Error()
			continue
		}
		result.times = append(result.times, time.Since(start))
	}
	slices.Sort(result.times)
	if len(result.times) == 0 {
		t.Errorf("no write succeeded: %s", result.failure)
	}
	return &result
}

// seed stores the large documents that attackers with rights read.
func (w *attackedWriter) seed(t *testing.T) {
	t.Helper()
	err := w.put(t, "/v2/clusters/"+tenant, `{"metadata":{"name":"`+tenant+`"}}`)
	for n := range largeDocuments {
		err = errors.Join(err, w.put(t, fmt.Sprintf("/v2/clusters/%s/environments/large%d", tenant, n), largeDocument(n)))
	}
	object, path := managedBody(manyMembers(managedFields)), strings.Split(managedObject, "/managed?")
	err = errors.Join(err, w.send(t, http.MethodPost, path[0]+"?"+path[1]+"&fieldManager=m0", object))
	if err != nil {
		t.Fatal(err)
	}
}

func (w *attackedWriter) write(t *testing.T) error {
	w.written++
	return w.put(t, fmt.Sprintf("/v2/%s/writer-%d", w.collection, w.written%100), fmt.Sprintf(`{"metadata":{"name":"writer-%d"},"spec":{"%s":%d}}`, w.written%100, w.member, w.written))
}

func (w *attackedWriter) put(t *testing.T, path, body string) error {
	return w.send(t, http.MethodPut, path, body)
}

func (w *attackedWriter) send(t *testing.T, method, path, body string) error {
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+w.address+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+attackToken("writer"))
	request.Header.Set("Content-Type", "application/json")
	response, err := w.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", response.Status, answer)
	}
	return err
}

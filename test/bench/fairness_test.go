package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
	"github.com/dovetail-store/dovetail/src/test/bench/load"
	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// BenchmarkFairness measures how much a user that keeps sixteen connections busy with hard resolutions slows down
// another user that creates documents. Users are distinguished by their addresses.
func BenchmarkFairness(b *testing.B) {
	const parallel, requests = 16, 500
	s := serve(b, filled(b, 1000))
	defer s.stop(b)
	var created atomic.Int64
	measure := func() time.Duration {
		first := int(created.Add(requests)) - requests
		plan := load.Plan{Address: s.address, Connections: 1, Requests: requests, Status: 201,
			Request: func(buffer []byte, n int) []byte { return s.createRequest(buffer, peer.ItemOf(1_000_000+first+n)) }}
		result, err := plan.Run(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		return result.Quantile(.5)
	}
	measure() // warms up
	for b.Loop() {
		alone := measure()
		h := newHog(b, s.address, parallel)
		among := measure()
		sent := h.end(b)
		b.ReportMetric(float64(sent), "resolutions")
		b.ReportMetric(float64(alone.Microseconds()), "p50-µs-alone")
		b.ReportMetric(float64(among.Microseconds()), "p50-µs-among")
		b.ReportMetric(float64(among)/float64(alone), "p50-ratio")
	}
}

// hog sends hard resolutions from an address of its own.
type hog struct {
	cancel  context.CancelFunc
	sending sync.WaitGroup
	sent    atomic.Int64
	failed  chan error
}

func newHog(b *testing.B, address string, parallel int) *hog {
	problem := synthetic.Problem(synthetic.Options{Packages: 200, Versions: 5, Roots: 5, Seed: 1, Mode: synthetic.Maze, Pigeons: 11})
	body := problem.JSON()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: parallel}}
	ctx, cancel := context.WithCancel(b.Context())
	failed := make(chan error, parallel)
	h := &hog{cancel: cancel, failed: failed}
	for range parallel {
		h.sending.Go(func() {
			for ctx.Err() == nil {
				request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/api/resolve", bytes.NewReader(body))
				if err != nil {
					failed <- err
					return
				}
				request.Header.Set("Content-Type", "application/json")
				h.sent.Add(1)
				answer, err := client.Do(request)
				if err != nil {
					continue // it is over, as the loop sees
				}
				text, _ := io.ReadAll(answer.Body) // for the message only
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					failed <- fmt.Errorf("%s: %s", answer.Status, text)
					return
				}
			}
		})
	}
	const head = time.Second
	select {
	case err := <-failed:
		cancel()
		b.Fatal(err)
	case <-time.After(head): // so that all of them are being solved
	}
	return h
}

// end stops sending and says how many resolutions were asked for.
func (h *hog) end(b *testing.B) int64 {
	h.cancel()
	h.sending.Wait()
	close(h.failed)
	for err := range h.failed {
		b.Error(err)
	}
	return h.sent.Load()
}

package layering_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
)

// BenchmarkMany puts a site of 10,000 documents over HTTP on MongoDB, one in which all have changed, deletes all revisions, and puts it again. It reports
// how long each takes, and how much of that the processor works for this process, in which the server runs.
func BenchmarkMany(b *testing.B) {
	first := string(sitegen.Site(10_000))
	second := strings.ReplaceAll(first, "mtu: 9000", "mtu: 1500")
	took := make(map[string]time.Duration)
	for b.Loop() {
		s := newServer(b, mongotest.Open(b))
		for _, request := range []struct {
			name string
			do   func()
		}{
			{"put", func() { s.put(first) }},
			{"change", func() { s.put(second) }},
			{"delete", func() { s.must(204, "DELETE", "/api/v1.0/revisions", "") }},
			{"after", func() { s.put(first) }}, // waits for what the deletion does after its answer
		} {
			began, worked := time.Now(), processorTime(b)
			request.do()
			took[request.name] += time.Since(began)
			took[request.name+"-processor"] += processorTime(b) - worked
		}
	}
	for name, t := range took {
		b.ReportMetric(t.Seconds()/float64(b.N), "s/"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

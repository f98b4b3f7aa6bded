package layering_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
)

// BenchmarkPutBesideReaders puts a site of 10,000 documents in which all have changed, over HTTP, while others read all of the newest revision rendered
// again and again. After each put it is read rendered once more. It reports how long both take, and how much of the time of the processor; and how many
// readings ended for each put. Its request limit is that of servers, so that a put that is starved fails.
func BenchmarkPutBesideReaders(b *testing.B) {
	text := string(sitegen.Site(10_000))
	for _, readers := range []int{0, 4, 8} {
		b.Run(fmt.Sprint("readers=", readers), func(b *testing.B) {
			s := newServer(b, apitest.OpenBolt(b))
			s.put(text)
			var newest, reads, refused atomic.Int64
			newest.Store(1)
			over := make(chan struct{})
			var all sync.WaitGroup
			for range readers {
				all.Go(func() {
					for {
						select {
						case <-over:
							return
						default:
						}
						switch a := s.send("GET", fmt.Sprintf("/api/v1.0/revisions/%d/rendered-documents", newest.Load()), ""); a.status {
						case 200:
							reads.Add(1)
						case 503: // the server has no room for it
							refused.Add(1)
						default:
							b.Error(a.status, a.text)
						}
					}
				})
			}
			var put, read, worked time.Duration
			round := 0
			for b.Loop() {
				round++
				changed := strings.ReplaceAll(text, "mtu: 9000", fmt.Sprint("mtu: ", 1000+round))
				began, before := time.Now(), processorTime(b)
				s.put(changed)
				put += time.Since(began)
				newest.Add(1)
				began = time.Now()
				s.get(fmt.Sprintf("/api/v1.0/revisions/%d/rendered-documents", newest.Load()))
				read += time.Since(began)
				worked += processorTime(b) - before
			}
			close(over)
			all.Wait()
			b.ReportMetric(put.Seconds()/float64(b.N), "s/put")
			b.ReportMetric(read.Seconds()/float64(b.N), "s/read")
			b.ReportMetric(worked.Seconds()/float64(b.N), "s/processor")
			b.ReportMetric(float64(reads.Load())/float64(b.N), "readings/put")
			b.ReportMetric(float64(refused.Load())/float64(b.N), "refused/put")
			b.ReportMetric(0, "ns/op")
		})
	}
}

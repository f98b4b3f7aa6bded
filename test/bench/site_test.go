package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/layering/sitegen"
)

// BenchmarkSite puts a generated site of layered documents into the empty store of a process, and reads it rendered:
// how long each takes, and the most memory that the process had in the machine's, its program included.
func BenchmarkSite(b *testing.B) {
	for _, documents := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("documents=%d", documents), func(b *testing.B) {
			site := string(sitegen.Site(documents))
			var put, get time.Duration
			most := 0
			round := func() {
				s := launch(b, filepath.Join(b.TempDir(), "site.db"))
				defer s.stop(b)
				start := time.Now()
				if err := s.send(http.MethodPut, "/api/v1.0/buckets/site/documents", "application/x-yaml", site, io.Discard); err != nil {
					b.Fatal(err)
				}
				put += time.Since(start)
				start = time.Now()
				if err := s.get("/api/v1.0/revisions/1/rendered-documents", io.Discard); err != nil {
					b.Fatal(err)
				}
				get += time.Since(start)
				most = max(most, s.peak(b))
			}
			for b.Loop() {
				round()
			}
			b.ReportMetric(put.Seconds()*1e3/float64(b.N), "put-ms")
			b.ReportMetric(get.Seconds()*1e3/float64(b.N), "get-ms")
			b.ReportMetric(float64(most)/1e6, "peak-MB")
		})
	}
}

// peak is the most memory that the server had in the machine's, in bytes.
func (s *server) peak(tb testing.TB) int {
	tb.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	_, line, found := strings.Cut(string(status), "VmHWM:")
	if err != nil || !found {
		tb.Skip("this machine does not tell how much memory a process had")
	}
	var kibibytes int
	if _, err := fmt.Sscan(line, &kibibytes); err != nil {
		tb.Fatal(err)
	}
	return kibibytes << 10
}

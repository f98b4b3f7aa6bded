package deckhand_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/deckhand"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// syntheticSite writes a site of n documents and a policy: a tenth regions below one global document, the rest sites
// below a region each, with a substitution in every second. changed are documents that differ from those of round 0.
func syntheticSite(n, round, changed int) string {
	var b strings.Builder
	b.WriteString(seed)
	regions := max(1, n/10)
	for i := range n {
		layer, abstract, parent, name := "site", false, fmt.Sprintf("key1: value1\n      region: r%05d", i%regions), fmt.Sprintf("site-%05d", i)
		labels := ""
		if i < regions {
			layer, abstract, parent, name = "region", true, "key1: value1", fmt.Sprintf("region-%05d", i)
			labels = fmt.Sprintf("\n  labels:\n    key1: value1\n    region: r%05d", i)
		}
		mtu := 9000
		if i >= n-changed {
			mtu += round
		}
		fmt.Fprintf(&b, `---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: %s%s
  storagePolicy: cleartext
  layeringDefinition:
    abstract: %t
    layer: %s
    parentSelector:
      %s
    actions:
      - method: merge
        path: .
      - method: replace
        path: .network
`, name, labels, abstract, layer, parent)
		if i > regions && i%2 == 0 {
			fmt.Fprintf(&b, "  substitutions:\n    - src:\n        schema: example/Kind/v1\n        name: site-%05d\n        path: .network.mtu\n      dest:\n        path: .uplink.url\n        pattern: MTU\n", i-1)
		}
		fmt.Fprintf(&b, `data:
  uplink:
    url: https://gw-%05d.example.net/MTU/up
  network:
    address: 10.%d.%d.1
    mtu: %d
  tags:
    origin: %s
    serial: s%05d
  notes: |
    rack %d unit 0
    commissioned by the generator
`, i, i/250, i%250, mtu, layer, i, i)
	}
	return b.String()
}

// BenchmarkPutAndRender puts a site into an empty store and reads it rendered, over HTTP.
func BenchmarkPutAndRender(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		body := syntheticSite(n, 0, 0)
		b.Run(fmt.Sprintf("documents=%d", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := newServer(b, openBolt(b))
				b.StartTimer()
				s.put(body)
				s.get("/api/v1.0/revisions/1/rendered-documents")
			}
		})
	}
}

// BenchmarkMemory measures how much of the heap is in use at most while a site of 10,000 documents is put and read
// rendered. The collector runs often, so that little of it is garbage.
func BenchmarkMemory(b *testing.B) {
	body := syntheticSite(10_000, 0, 0)
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	for b.Loop() {
		s := newServer(b, openBolt(b))
		stop, peak := make(chan struct{}), make(chan uint64)
		go func() {
			sample, most := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}, uint64(0)
			for {
				select {
				case <-stop:
					peak <- most
					return
				case <-time.After(5 * time.Millisecond):
					metrics.Read(sample)
					most = max(most, sample[0].Value.Uint64())
				}
			}
		}()
		s.put(body)
		s.get("/api/v1.0/revisions/1/rendered-documents")
		close(stop)
		b.ReportMetric(float64(<-peak)/(1<<20), "MB")
	}
}

// BenchmarkPutChange puts a site of 10,000 documents of which 10 changed.
func BenchmarkPutChange(b *testing.B) {
	s := newServer(b, openBolt(b))
	s.put(syntheticSite(10_000, 0, 10))
	round := 0
	for b.Loop() {
		round++
		s.put(syntheticSite(10_000, round, 10))
	}
}

// BenchmarkSpace puts a site of 10,000 documents, and then 100 revisions of it that change 10 each. Its ratio is the
// space that all of them take to that of the first, of databases at rest.
func BenchmarkSpace(b *testing.B) {
	const documents, changed, rounds = 10_000, 10, 100
	for b.Loop() {
		folder := b.TempDir()
		site := parseSite(b, syntheticSite(documents, 0, changed))
		var sizes []float64
		round := 0
		for _, until := range []int{0, rounds} {
			backend, err := bolt.Open(filepath.Join(folder, "test.db"), bolt.Options{})
			if err != nil {
				b.Fatal(err)
			}
			r := deckhand.New(newStoreOn(b, backend), deckhand.Options{})
			for ; round <= until; round++ {
				changeSite(b, site, round, changed)
				if _, err := r.Put(b.Context(), "a", site, deckhand.PutOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			if err := backend.Close(); err != nil {
				b.Fatal(err)
			}
			sizes = append(sizes, float64(space(b, folder)))
		}
		b.ReportMetric(sizes[0]/(1<<20), "MB/first")
		b.ReportMetric(sizes[1]/(1<<20), "MB/all")
		b.ReportMetric(sizes[1]/sizes[0], "ratio")
	}
}

func parseSite(b *testing.B, text string) []*layering.Document {
	b.Helper()
	documents, err := layering.Parse("", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	return documents
}

// changeSite puts other documents in the place of the last ones, which nothing refers to.
func changeSite(b *testing.B, site []*layering.Document, round, changed int) {
	b.Helper()
	for i := len(site) - changed; i < len(site); i++ {
		v := site[i].Value().Clone()
		v.At("data", "network").Set("mtu", value.NewNumber(int64(9000+round)))
		d, err := layering.New("", v)
		if err != nil {
			b.Fatal(err)
		}
		site[i] = d
	}
}

// space is the size of all files of a folder.
func space(b *testing.B, folder string) (total int64) {
	b.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			b.Fatal(err)
		}
		total += info.Size()
	}
	return total
}

// put puts a bucket and does not read the answer as values.
func (s *server) put(body string) {
	s.t.Helper()
	if a := s.send("PUT", bucketA, body); a.status != 200 {
		s.t.Fatalf("%d: %s", a.status, a.text)
	}
}

// get is put for reading.
func (s *server) get(path string) {
	s.t.Helper()
	if a := s.send("GET", path, ""); a.status != 200 {
		s.t.Fatalf("%d: %s", a.status, a.text)
	}
}

package resolution_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const benchmarked = 5000 // packages, of five versions each

// stored puts a synthetic source and n resolutions over it, the constraints of each in another order.
func stored(b *testing.B, n int) *world {
	b.Helper()
	backend := openBackend(b)
	w := &world{t: b, store: openStore(b, backend), backend: backend}
	problem := synthetic.Problem(synthetic.Options{Packages: benchmarked, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Sat})
	operations, err := sourcedoc.Operations(nil, "synthetic", problem.Get("sources").Items[0], nil)
	if err != nil {
		b.Fatal(err)
	}
	constraints := problem.At("spec", "constraints").Items
	for i := range n {
		list := value.NewList(append(append([]*value.Value{}, constraints[i%20:]...), constraints[:i%20]...)...)
		data := value.NewMap(value.Member{Name: "spec", Value: value.NewMap(value.Member{Name: "constraints", Value: list})})
		operations = append(operations, store.Operation{Verb: store.Put, ID: resolutionID(fmt.Sprint("r", i)), Data: data})
	}
	if _, err := w.store.Apply(b.Context(), operations, store.Options{}); err != nil {
		b.Fatal(err)
	}
	return w
}

// control runs a controller until stop.
func (w *world) control() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	resolutions := resolution.New(w.store, resolution.Options{})
	go func() {
		defer close(done)
		lease.New(w.backend, lease.Options{}).Run(ctx, lease.Task{Name: "resolution", Lead: func(ctx context.Context, fence store.Condition) {
			if err := resolutions.Control(ctx, fence); err != nil && ctx.Err() == nil {
				w.t.Error(err)
			}
		}})
	}()
	return func() { cancel(); <-done }
}

// BenchmarkStoredToStatus measures the time from stored documents, of which none is cached, to the status of one
// resolution over them.
func BenchmarkStoredToStatus(b *testing.B) {
	w := stored(b, 1)
	for b.Loop() {
		b.StopTimer()
		empty := []store.Operation{{Verb: store.PutStatus, ID: resolutionID("r0"), Data: value.NewMap()}}
		if _, err := w.store.Apply(b.Context(), empty, store.Options{}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		stop := w.control()
		w.wait("r0", func(doc *dovetail.Document, s *state.Status) bool { return state.Settled(doc) && len(s.Selections) > 0 })
		b.StopTimer()
		stop()
		b.StartTimer()
	}
}

// BenchmarkCatalogChange is the time from the change of one version to the status of a hundred resolutions over
// its catalog.
func BenchmarkCatalogChange(b *testing.B) {
	const n = 100
	w := stored(b, n)
	defer w.control()()
	settle := func(before map[int]string) map[int]string {
		digests := make(map[int]string)
		for i := range n {
			s := w.wait(fmt.Sprint("r", i), func(_ *dovetail.Document, s *state.Status) bool {
				return s.InputDigest != "" && s.InputDigest != before[i]
			})
			digests[i] = s.InputDigest
		}
		return digests
	}
	digests := settle(nil)
	const version = dovetail.ID("source/synthetic/package/pkg-04999/packageVersion/1.0.0")
	for i := 0; b.Loop(); i++ {
		data := parse(b, fmt.Sprintf(`{"metadata":{"name":"1.0.0"},"spec":{"channels":["stable"],"image":"changed:%d"}}`, i))
		if _, err := w.store.Put(b.Context(), store.Operation{ID: version, Data: data}); err != nil {
			b.Fatal(err)
		}
		digests = settle(digests)
	}
}

// BenchmarkChangeReachesFew is the time from the change of one version to the statuses of the 6 of 1,000 resolutions that look at it.
func BenchmarkChangeReachesFew(b *testing.B) {
	const n, reached = 1000, 6
	backend := openBackend(b)
	w := &world{t: b, store: openStore(b, backend), backend: backend}
	var packages []string
	for i := range n {
		needs := ""
		if i < reached {
			needs = `,"dependencies":[{"required":{"name":"shared"}}]`
		}
		packages = append(packages, fmt.Sprintf(`{"name":"p%03d","versions":[{"version":"1.0.0","channels":["main"]%s}]}`, i, needs))
	}
	w.source("cat", `{"packages":[{"name":"shared","versions":[{"version":"1.0.0","channels":["main"]}]},`+strings.Join(packages, ",")+`]}`)
	for i := range n {
		operation := store.Operation{ID: resolutionID(fmt.Sprintf("r%03d", i)), Data: parse(b, data(fmt.Sprintf(`required("p%03d")`, i)))}
		if _, err := w.store.Put(b.Context(), operation); err != nil {
			b.Fatal(err)
		}
	}
	defer w.control()()
	for i := range n {
		w.wait(fmt.Sprintf("r%03d", i), func(doc *dovetail.Document, s *state.Status) bool { return state.Settled(doc) && len(s.Selections) > 0 })
	}
	const version = dovetail.ID("source/cat/package/shared/packageVersion/1.0.0")
	for i := 0; b.Loop(); i++ {
		before := state.ReadStatus(w.get("r005")).InputDigest
		data := parse(b, fmt.Sprintf(`{"metadata":{"name":"1.0.0"},"spec":{"channels":["main"],"image":"changed:%d"}}`, i))
		if _, err := w.store.Put(b.Context(), store.Operation{ID: version, Data: data}); err != nil {
			b.Fatal(err)
		}
		for k := range reached {
			w.wait(fmt.Sprintf("r%03d", k), func(_ *dovetail.Document, s *state.Status) bool { return s.InputDigest != before })
		}
	}
}

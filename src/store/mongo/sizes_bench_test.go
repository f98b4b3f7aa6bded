package mongo

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// BenchmarkSizes does the same operations in turns on a database of 1,000 documents and on one of as many as the environment variable
// DOVETAIL_BENCH_DOCS says, 20,000 by default, and reports how many times as long the second takes.
func BenchmarkSizes(b *testing.B) {
	const small, boxesOf = 1000, 100
	large := 20_000
	if text := os.Getenv("DOVETAIL_BENCH_DOCS"); text != "" {
		var err error
		large, err = strconv.Atoi(text)
		must(b, err)
	}
	var stores [2]*store.Store
	sizes := [2]int{small, large}
	for i, size := range sizes {
		backend := mustOpen(b, freshURI(b))
		defer backend.Close()
		s, err := store.Open(b.Context(), backend, compileModel(b, boxes), store.Config{})
		must(b, err)
		stores[i] = s
		var batch []store.Operation
		flush := func() {
			_, err := s.Apply(b.Context(), batch, store.Options{})
			must(b, err)
			batch = batch[:0]
		}
		for n := range size / boxesOf {
			batch = append(batch, store.Operation{Verb: store.Create, ID: boxID(n), Data: item("", "x", "")})
			for c := range boxesOf - 1 {
				batch = append(batch, store.Operation{Verb: store.Create, ID: boxID(n).Child("item", strconv.Itoa(c)), Data: item("red", "x", "")})
			}
			if len(batch) >= 2000 {
				flush()
			}
		}
		if len(batch) > 0 {
			flush()
		}
	}
	apply := func(which int, operation store.Operation) error {
		_, err := stores[which].Apply(b.Context(), []store.Operation{operation}, store.Options{})
		return err
	}
	round := 0
	scattered := func(which, i int) dovetail.ID { return boxID(i * 7919 % (sizes[which] / boxesOf)) }
	fresh := func(which, i int) dovetail.ID {
		return scattered(which, i).Child("item", fmt.Sprintf("new-%d-%d", round, i))
	}
	create := func(which, i int) error {
		return apply(which, store.Operation{Verb: store.Create, ID: fresh(which, i), Data: item("red", "x", "")})
	}
	remove := func(cascade bool) func(which, i int) error {
		return func(which, i int) error {
			return apply(which, store.Operation{Verb: store.Delete, ID: fresh(which, i), Cascade: cascade})
		}
	}
	for _, operation := range []struct {
		name   string
		before func(which, i int) error
		do     func(which, i int) error
	}{
		{name: "get", do: func(which, i int) error {
			_, err := stores[which].Get(b.Context(), scattered(which, i).Child("item", strconv.Itoa(i%(boxesOf-1))))
			return err
		}},
		{name: "list-page", do: func(which, i int) error {
			_, err := stores[which].List(b.Context(), store.ListQuery{Under: scattered(which, i), Kind: "item", Limit: 50})
			return err
		}},
		{name: "create", do: create},
		{name: "create-with-reference", do: func(which, i int) error {
			return apply(which, store.Operation{Verb: store.Create, ID: fresh(which, i), Data: item("red", "x", "1")}) // item/1 of the same box
		}},
		{name: "update", do: func(which, i int) error {
			return apply(which, store.Operation{Verb: store.Put, ID: scattered(which, i).Child("item", "2"), Data: item("blue", strconv.Itoa(i), "")})
		}},
		{name: "delete-leaf", before: create, do: remove(false)},
		{name: "cascade-of-a-leaf", before: create, do: remove(true)},
		{name: "delete-refused", do: func(which, i int) error {
			if err := apply(which, store.Operation{Verb: store.Delete, ID: scattered(which, i)}); dovetail.CodeOf(err) != dovetail.CodeInUse {
				return fmt.Errorf("a parent is deleted: %w", err)
			}
			return nil
		}},
	} {
		b.Run(operation.name, func(b *testing.B) {
			round++
			if operation.before != nil {
				for which := range stores {
					parallel(b, 8, 0, b.N, func(i int) error { return operation.before(which, i) })
				}
			}
			b.ResetTimer()
			times, ratio := turns(b, 1, 10, func(i int) error { return operation.do(0, i) }, func(i int) error { return operation.do(1, i) })
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(times[0])/float64(b.N)/float64(time.Millisecond), "small-ms")
			b.ReportMetric(float64(times[1])/float64(b.N)/float64(time.Millisecond), "large-ms")
			b.ReportMetric(ratio, "large-to-small")
		})
	}
}

func boxID(n int) dovetail.ID { return dovetail.ID("").Child("box", strconv.Itoa(n)) }

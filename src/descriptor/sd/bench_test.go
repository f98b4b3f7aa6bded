package sd_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// large makes a full SD of n applications in 50 chunks and a delta of half as many, of which a third
// are new, a third have another version and a third are the same.
func large(n int) (full, delta *value.Value) {
	const chunks = 50
	build := func(from, to int, version func(i int) string) *value.Value {
		apps, graph := value.NewList(), value.NewList()
		for c := range chunks {
			graph.Items = append(graph.Items, value.NewMap(member("chunkName", fmt.Sprint("wave-", c)), value.Member{Name: "apps", Value: value.NewList()}))
		}
		for i := from; i < to; i++ {
			name, postfix := fmt.Sprint("application-", i), fmt.Sprint("namespace-", i%20)
			apps.Items = append(apps.Items, value.NewMap(member("version", name+":"+version(i)), member("deployPostfix", postfix)))
			list := graph.Items[i%chunks].Get("apps")
			list.Items = append(list.Items, value.NewString(name+":"+postfix))
		}
		return value.NewMap(member("version", "2.1"), member("type", "solutionDeploy"), member("deployMode", "composite"),
			value.Member{Name: "applications", Value: apps}, value.Member{Name: "deployGraph", Value: graph})
	}
	old := func(int) string { return "release-1.2.4-20240402.110146-1" }
	mixed := func(i int) string {
		if i < n*5/6 {
			return "release-1.3.0-20240502.110146-2"
		}
		return old(i)
	}
	return build(0, n, old), build(n-n/3, n+n/6, mixed)
}

func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{5_000, 100_000} {
		fullValue, deltaValue := large(n)
		full, delta := newSD(b, fullValue), newSD(b, deltaValue)
		for _, mode := range sd.Modes() {
			b.Run(fmt.Sprintf("%s/%d", mode, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := sd.Merge(mode, full, delta); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkProcess is a whole request: the SDs are read from JSON text and merged.
func BenchmarkProcess(b *testing.B) {
	for _, n := range []int{5_000, 100_000} {
		full, delta := large(n)
		stored, sent := full.JSON(), string(delta.JSON())
		for _, mode := range merging {
			b.Run(fmt.Sprintf("%s/%d", mode, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					descr, err := sd.Parse("stored", stored)
					if err != nil {
						b.Fatal(err)
					}
					request, err := sd.ParseRequest(map[string]string{sd.ParamData: sent, sd.ParamMergeMode: string(mode)})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := request.Process(request.Data, sd.State{Full: descr}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkEdit writes a merged SD over the YAML text of the full one.
func BenchmarkEdit(b *testing.B) {
	fullValue, deltaValue := large(5_000)
	text := yaml.Marshal(fullValue)
	full, err := sd.Parse("full", text)
	if err != nil {
		b.Fatal(err)
	}
	m, err := sd.Merge(sd.ExtendedMerge, full, newSD(b, deltaValue))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		yaml.Edit(text, full.Value(), m.Descriptor.Value())
	}
}

func newSD(t testing.TB, v *value.Value) *sd.Descriptor {
	t.Helper()
	descr, err := sd.New(dovetail.Position{File: "sd"}, v)
	if err != nil {
		t.Fatal(err)
	}
	return descr
}

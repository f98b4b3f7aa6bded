package parameters_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// large makes a map of 100 groups with 100 parameters each.
func large() *value.Value {
	m := value.NewMap()
	for i := range 100 {
		group := value.NewMap()
		for j := range 100 {
			group.Members = append(group.Members, value.Member{Name: fmt.Sprintf("PARAMETER_%d", j), Value: value.NewString(fmt.Sprintf("${creds.get('%d').password}", i*j))})
		}
		m.Members = append(m.Members, value.Member{Name: fmt.Sprintf("group.%d", i), Value: group})
	}
	return m
}

// BenchmarkExplain explains an effective set of 10,000 leaves, a fifth of them overridden.
func BenchmarkExplain(b *testing.B) {
	all, over := large(), large()
	over.Members = over.Members[:20]
	inputs := []parameters.Layer{{Values: all}, {Values: over}}
	files := []parameters.Layer{{Values: all}, {Values: value.NewMap()}, {}, {}}
	overrides := []parameters.Layer{{Values: over}, {Values: over}}
	b.ReportAllocs()
	for b.Loop() {
		set, err := parameters.Effective(inputs, files, overrides, parameters.OverlapRefused)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(parameters.Explain(&set.Merged, set.Layers)); n != 10_000 {
			b.Fatal(n)
		}
	}
}

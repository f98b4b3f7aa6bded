package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution/catalog"
)

// BenchmarkImportBySize measures how much longer sixteen times as much takes of anything that one package may have: sixteen times, if no
// part of an import is slower than in proportion.
func BenchmarkImportBySize(b *testing.B) {
	bundle := func(i int) string {
		return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"p.v1.0.%d","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%[1]d"}}]}`+"\n", i)
	}
	many := func(n int, one func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(one(i))
		}
		return b.String()
	}
	entry := func(skips string) string {
		return `{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1.0.0","skips":[` + skips + `"p.v9.0.0"]}]}` + "\n"
	}
	channel := func(i int) string {
		return fmt.Sprintf(`{"schema":"olm.channel","package":"p","name":"c%d","entries":[{"name":"p.v1.0.0","skipRange":"<1.0.%[1]d"}]}`+"\n", i)
	}
	tests := []struct {
		name string
		text func(n int) string
	}{
		{name: "bundles", text: func(n int) string { return many(n, bundle) + entry("") }},
		{name: "skipped versions", text: func(n int) string {
			return bundle(0) + entry(many(n, func(i int) string { return fmt.Sprintf(`"p.v2.0.%d",`, i) }))
		}},
		{name: "skipped versions that there are not", text: func(n int) string {
			return many(n, bundle) + entry(many(n, func(i int) string { return fmt.Sprintf(`"p.v2.0.%d",`, i) }))
		}},
		{name: "channels and ranges", text: func(n int) string { return bundle(0) + many(n, channel) }},
	}
	const few, times = 2_000, 16
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			took := func(n int) time.Duration {
				file := catalog.File{Name: "c.json", Data: []byte(`{"schema":"olm.package","name":"p"}` + "\n" + tt.text(n))}
				begin := time.Now()
				if _, _, err := catalog.Import("s", file); err != nil {
					b.Fatal(err)
				}
				return time.Since(begin)
			}
			var small, large time.Duration
			for b.Loop() {
				small, large = small+took(few), large+took(few*times)
			}
			b.ReportMetric(float64(large)/float64(small), "times-as-long")
		})
	}
}

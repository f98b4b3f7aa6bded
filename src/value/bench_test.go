package value_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

const smallDocument = `{"metadata":{"name":"nginx","description":"a web server","labels":{"tier":"front","owner":"web"}},` +
	`"spec":{"replicas":3,"ports":[80,443],"enabled":true,"image":"registry.example.com/nginx:1.27.3","limits":null}}`

func BenchmarkParseJSON(b *testing.B) {
	large := "[" + strings.Repeat(smallDocument+",\n", 5000) + "null]"
	for _, c := range []struct{ name, text string }{{"small", smallDocument}, {"large", large}} {
		data := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := value.ParseJSON(data, value.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/encoding-json", func(b *testing.B) { // for comparison
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(data, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	v, err := value.ParseJSON([]byte(smallDocument), value.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(smallDocument)))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = v.AppendJSON(dst[:0])
	}
}

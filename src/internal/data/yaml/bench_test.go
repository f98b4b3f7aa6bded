package yaml_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

const document = `metadata:
  name: nginx
  description: a web server
  labels: {tier: front, owner: web}
spec:
  replicas: 3
  ports:
    - 80
    - 443
  image: registry.example.com/nginx:1.27.3
`

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"one", document}, {"thousand", strings.Repeat(document+"---\n", 1000)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := yaml.Parse("", []byte(c.text), value.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMarshal(b *testing.B) {
	values, err := yaml.Parse("", []byte(document), value.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		yaml.Marshal(values...)
	}
}

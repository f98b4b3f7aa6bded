package yaml_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// bomb is a text whose aliases stand for 10^levels values.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < levels; i++ {
		last := string(rune('0' + i - 1))
		b.WriteString("a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.TrimSuffix(strings.Repeat("*a"+last+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

// Once all is read, as many values are charged as there are, whichever way they were read.
func TestCharge(t *testing.T) {
	tests := []struct {
		name string
		text string
	}{
		{name: "json", text: "[" + strings.Repeat("0,", 2000) + "0]"},
		{name: "json that is not", text: "[" + strings.Repeat("0,", 2000) + "a: b]"},
		{name: "plain", text: strings.Repeat("- a: 1\n  b: [1, 2]\n", 2000)},
		{name: "documents", text: strings.Repeat("a: 1\n---\n", 2000)},
		{name: "plain at first", text: strings.Repeat("a: 1\nb: {c: 1}\n---\n", 1000) + strings.Repeat("x: &x 1\ny: *x\n---\n", 1000)},
		{name: "by the library", text: "%YAML 1.1\n---\n" + strings.Repeat("- a: 1\n  b: [1, 2]\n", 2000)},
		{name: "aliases", text: bomb(4)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			charged, most := 0, 0
			values, err := yaml.Parse("", []byte(test.text), value.Limits{Charge: func(n int) error { charged += n; most = max(most, charged); return nil }})
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for _, v := range values {
				want += count(v)
			}
			if charged != want || most < want {
				t.Errorf("%d values are charged, %d at most, want %d", charged, most, want)
			}
		})
	}
}

func count(v *value.Value) int {
	n := 1
	for _, item := range v.Items {
		n += count(item)
	}
	for _, m := range v.Members {
		n += count(m.Value)
	}
	return n
}

// What would be too much is refused before it is made, with the place.
func TestChargeRefused(t *testing.T) {
	tests := []struct {
		name string
		text string
		line int
	}{
		{name: "json", text: "[" + strings.Repeat("0,", 200_000) + "0]", line: 1},
		{name: "plain", text: strings.Repeat("- a: 1\n", 100_000), line: 1},
		{name: "by the library", text: "%YAML 1.1\n---\n" + strings.Repeat("- a: 1\n", 100_000), line: 1},
		{name: "aliases", text: bomb(6), line: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			const limit = 50_000
			charged := 0
			_, err := yaml.Parse("f", []byte(test.text), value.Limits{Charge: func(n int) error {
				if charged+n > limit {
					return dovetail.Errorf(dovetail.CodeTooLarge, "too much")
				}
				charged += n
				return nil
			}})
			e := dovetail.AsError(err)
			if e == nil || e.Code != dovetail.CodeTooLarge || e.Message != "too much" || e.Position.File != "f" || e.Position.Line < test.line {
				t.Errorf("%v", err)
			}
		})
	}
}

package yaml_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestReplaceScalar(t *testing.T) {
	text := value.NewString
	tests := []struct {
		name, text string
		at         value.Place
		old        string
		to         *value.Value
		want       string // "" where it is not replaced
	}{
		{"a key", "metdata: {a: 1} # x\n", value.At(1, 1), "metdata", text("metadata"), "metadata: {a: 1} # x\n"},
		{"a key in a map of one line", "{a: 1, metdata : {a: 1}}", value.At(1, 8), "metdata", text("metadata"), "{a: 1, metadata : {a: 1}}"},
		{"a key at the end of a line", "a:\n  b/c.d:\n    e: 1\r\n", value.At(2, 3), "b/c.d", text("b/c.e"), "a:\n  b/c.e:\n    e: 1\r\n"},
		{"a key in quotes", `{"metdata": 1}`, value.At(1, 2), "metdata", text("metadata"), `{"metadata": 1}`},
		{"a value", "a: mrge # as\n", value.At(1, 4), "mrge", text("merge"), "a: merge # as\n"},
		{"a value in a list", "[mrge, 'mrge']", value.At(1, 8), "mrge", text("merge"), "[mrge, 'merge']"},
		{"a number becomes a text", "é: 5\n", value.At(1, 5), "5", text("5"), "é: \"5\"\n"},
		{"a text becomes a boolean", "a: 'yes'\n", value.At(1, 4), "yes", value.NewBool(true), "a: true\n"},
		{"another number", "a: 0x5\n", value.At(1, 4), "5", text("5"), ""},
		{"something else", "a: merged\n", value.At(1, 4), "merge", text("x"), ""},
		{"more words", "a: mrge it\n", value.At(1, 4), "mrge", text("merge"), ""},
		{"a block", "a: |\n  mrge\n", value.At(1, 4), "mrge", text("merge"), ""},
		{"an alias", "a: *mrge\n", value.At(1, 4), "mrge", text("merge"), ""},
		{"no such place", "a: b\n", value.At(7, 1), "a", text("c"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := yaml.ReplaceScalar([]byte(tt.text), tt.at, tt.old, tt.to)
			want := tt.want
			if want == "" {
				want = tt.text
			}
			if string(got) != want || ok != (tt.want != "") {
				t.Errorf("got %q, %v; want %q", got, ok, want)
			}
		})
	}
}

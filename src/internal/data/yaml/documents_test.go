package yaml

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestEmptyDocuments has the documents that Parse passes over.
func TestEmptyDocuments(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []int
		values     int
	}{
		{"one without a marker", "a: 1\n", nil, 1},
		{"one with", "---\na: 1\n", nil, 1},
		{"comments before it", "# x\n%YAML 1.1\n---\na: 1\n", nil, 1},
		{"on the line of the marker", "--- {a: 1}\n", nil, 1},
		{"an end", "---\na: 1\n...\n", nil, 1},
		{"a marker at the end", "a: 1\n---\n", []int{2}, 1},
		{"without a line break", "a: 1\n---", []int{2}, 1},
		{"with comments and carriage returns", "a: 1\r\n--- # nothing\r\n\r\n# more\r\n", []int{2}, 1},
		{"a marker before it", "\ufeff---\n\n---\na: 1\n", []int{1}, 1},
		{"several", "---\n---\na: 1\n---\n---\n", []int{1, 4, 5}, 1},
		{"nothing else", "---\n", []int{1}, 0},
		{"two with content", "a: 1\n---\nb: 2\n", nil, 2},
		{"dashes in a text", "a: |\n  ---\nb: x\n---b: 1\n", nil, 1},
		{"null is content", "a: 1\n---\nnull\n", nil, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := EmptyDocuments([]byte(tt.text)); !slices.Equal(got, tt.want) {
				t.Errorf("lines %v, want %v", got, tt.want)
			}
			if values, err := Parse("", []byte(tt.text), value.Limits{}); err != nil || len(values) != tt.values {
				t.Errorf("%d documents, want %d, %v", len(values), tt.values, err)
			}
		})
	}
}

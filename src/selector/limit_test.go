package selector_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
)

// A selector has at most 100 terms, however they are written; repeated ones count too, since reading them costs the same.
func TestTooManyTerms(t *testing.T) {
	labels := func(text string) error { _, err := selector.ParseLabels(text); return err }
	fields := func(text string) error { _, err := selector.ParseFields(text); return err }
	join := func(term string, times int) string { return strings.TrimSuffix(strings.Repeat(term+",", times), ",") }
	tests := []struct {
		name, text string
		parse      func(string) error
		column     int // of the first term over the limit; 0 if there is none
	}{
		{"labels, as many as may be", join("a=b", 100), labels, 0},
		{"labels", join("a=b", 101), labels, 401},
		{"labels that exist", join("a", 100_000), labels, 201},
		{"labels that are absent", join("!a", 101), labels, 301},
		{"values, as many as may be", "a in (" + join("b", 100) + ")", labels, 0},
		{"values", "a in (" + join("b", 101) + ")", labels, 207},
		{"values of another test", "a notin (" + join("", 100_000) + ")", labels, 110},
		{"values of two lists", "a in (" + join("b", 50) + "),c in (" + join("d", 51) + ")", labels, 214},
		{"values and requirements", "a in (" + join("b", 100) + "),c", labels, 208},
		{"fields, as many as may be", join("a=b", 100), fields, 0},
		{"fields", join("a=b", 101), fields, 401},
		{"many fields", join("a!=b", 100_000), fields, 501},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.parse(test.text)
			if test.column == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			e := dovetail.AsError(err)
			if err == nil || e.Code != dovetail.CodeInvalid || e.Position.Column != test.column || !strings.Contains(e.Message, "more than 100 terms") || e.Remedy == "" {
				t.Errorf("got %#v", e)
			}
		})
	}
}

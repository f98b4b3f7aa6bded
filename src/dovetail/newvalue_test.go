package dovetail_test

import (
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestCheckNewValue(t *testing.T) {
	tests := []struct {
		name, value string
		ok          bool
	}{
		{"plain", "nginx-1.2_x~", true},
		{"spaces inside", "my app", true},
		{"a star among others", "a*b", true},
		{"letters of other scripts", "größe-日本", true},
		{"an emoji", "🚀", true},
		{"empty", "", false},
		{"a single space", " ", false},
		{"a space at the beginning", " a", false},
		{"a space at the end", "a ", false},
		{"a no-break space at the end", "a\u00a0", false},
		{"a star", "*", false},
		{"stars", "**", false},
		{"right-to-left override", "exe.\u202egpj", false},
		{"isolate", "a\u2066b", false},
		{"left-to-right mark", "a\u200e", false},
		{"zero-width space", "a\u200bb", false},
		{"zero-width joiner", "a\u200db", false},
		{"byte order mark", "\ufeffa", false},
		{"soft hyphen", "a\u00adb", false},
		{"line separator", "a\u2028b", false},
		{"variation selector", "a\ufe0f", false},
		{"blank filler", "\u3164", false},
		{"control character", "a\x01", false},
		{"NFC", "caf\u00e9", true},
		{"NFD", "cafe\u0301", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if why := dovetail.CheckNewValue(test.value); (why == "") != test.ok {
				t.Errorf("%+q: %q", test.value, why)
			}
		})
	}
}

// FuzzCheckNewValue: of the spellings of one text that normalization makes the same, one at most is accepted.
func FuzzCheckNewValue(f *testing.F) {
	for _, seed := range []string{"café", "Å", "\u212b", "A\u030a", "ｱ", "한글"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if dovetail.CheckNewValue(value) != "" {
			return
		}
		if dovetail.CheckValue(value) != "" {
			t.Errorf("%+q is accepted as new, and not otherwise", value)
		}
		if twin := norm.NFD.String(value); twin != value && dovetail.CheckNewValue(twin) == "" {
			t.Errorf("%+q and %+q are both accepted", value, twin)
		}
	})
}

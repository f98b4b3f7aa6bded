package catalog_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/catalog"
)

func TestRange(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", " ", ""},
		{"bounds", ">=1.0.0 <2.0.0", ">=1.0.0 <2.0.0 >=0.0.0-0"},
		{"blank after the operator", ">= 1.0.0  < 2.0.0", ">=1.0.0 <2.0.0 >=0.0.0-0"},
		{"equal", "1.0.0 || ==1.1.0", "=1.0.0 >=0.0.0-0 || =1.1.0 >=0.0.0-0"},
		{"not equal", "!1.0.0 !=1.1.0", "!=1.0.0 !=1.1.0 >=0.0.0-0"},
		{"pre-release", ">1.0.0-rc.1", ">1.0.0-rc.1 >=0.0.0-0"},
		{"minor", "1.2.x", ">=1.2.0 <1.3.0 >=0.0.0-0"},
		{"major", "1.x", ">=1.0.0 <2.0.0 >=0.0.0-0"},
		{"above an x-range", ">1.2.x", ">=1.3.0 >=0.0.0-0"},
		{"up to an x-range", "<=1.x.x", "<2.0.0 >=0.0.0-0"},
		{"below an x-range", "<1.2.x", "<1.2.0 >=0.0.0-0"},
		{"all but an x-range", ">=1.0.0 !=1.2.x", ">=1.0.0 <1.2.0 >=0.0.0-0 || >=1.0.0 >=1.3.0 >=0.0.0-0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := catalog.Range(c.in)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestRangeRefused(t *testing.T) {
	for _, text := range []string{"latest", ">=1.0.0 ||", ">=", "^1.0.0", ">=01.0.0", "1.x.0", ">>1.0.0", "99999999999999999999.x", strings.Repeat("!1.x ", 20)} {
		if got, err := catalog.Range(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func FuzzRange(f *testing.F) {
	for _, seed := range []string{">=1.0.0 <2.0.0", "1.2.x || !=1.x", "!1.0.0-rc.1+b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := catalog.Range(text)
		if err != nil {
			return
		}
		if _, err := catalog.Range(once); err != nil {
			t.Errorf("%q became %q, which is no range: %v", text, once, err)
		}
	})
}

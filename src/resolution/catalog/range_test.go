package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/resolution/catalog"
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
	for _, text := range []string{"latest", ">=1.0.0 ||", ">=", "^1.0.0", ">=01.0.0", "1.x.0", ">>1.0.0", "99999999999999999999.x", strings.Repeat("!1.x ", 20), strings.Repeat(">=1.0.0 ", 70)} {
		if got, err := catalog.Range(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// TestRangeAdmitsTheSame compares what a rewritten range admits with what the catalog's admits, which knows
// precedence alone.
func TestRangeAdmitsTheSame(t *testing.T) {
	var versions []*semver.Version
	for _, text := range []string{"0.9.0", "1.0.0-alpha", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0-rc.1", "1.2.0", "1.2.5", "1.3.0-0", "1.3.0", "2.0.0-rc.1", "2.0.0", "2.1.0"} {
		versions = append(versions, semver.MustParse(text))
	}
	// A bound is a text, and the first version that it is and the first after it.
	bounds := []struct{ text, from, to string }{{"1.2.x", "1.2.0", "1.3.0"}, {"1.x", "1.0.0", "2.0.0"}, {"1", "1.0.0", "2.0.0"}, {"2.0", "2.0.0", "2.1.0"}}
	for _, v := range versions {
		bounds = append(bounds, struct{ text, from, to string }{v.String(), v.String(), ""})
	}
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		admitted := make([]bool, len(versions))
		for range rapid.IntRange(1, 3).Draw(t, "groups") {
			var group []string
			all := slices.Repeat([]bool{true}, len(versions))
			for range rapid.IntRange(1, 3).Draw(t, "comparisons") {
				operator := rapid.SampledFrom([]string{"", "=", "==", "!", "!=", "<", "<=", ">", ">="}).Draw(t, "operator")
				bound := rapid.SampledFrom(bounds).Draw(t, "bound")
				group = append(group, operator+bound.text)
				for i, v := range versions {
					below := v.LessThan(semver.MustParse(bound.from))
					above := v.GreaterThan(semver.MustParse(bound.from))
					if bound.to != "" {
						above = !v.LessThan(semver.MustParse(bound.to))
					}
					is := map[string]bool{"": !below && !above, "!": below || above, "<": below, "<=": !above, ">": above, ">=": !below}
					is["="], is["=="], is["!="] = is[""], is[""], is["!"]
					all[i] = all[i] && is[operator]
				}
			}
			texts = append(texts, strings.Join(group, " "))
			for i := range all {
				admitted[i] = admitted[i] || all[i]
			}
		}
		text := strings.Join(texts, " || ")
		rewritten, err := catalog.Range(text)
		if err != nil {
			t.Skip(err) // too long
		}
		constraint, err := semver.NewConstraint(rewritten)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, rewritten, err)
		}
		for i, v := range versions {
			if constraint.Check(v) != admitted[i] {
				t.Errorf("%q became %q: %s is %v, want %v", text, rewritten, v, !admitted[i], admitted[i])
			}
		}
	})
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

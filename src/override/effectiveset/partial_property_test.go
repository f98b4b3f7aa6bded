package effectiveset

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// TestPartsOneByOne draws sequences of deltas that add, repeat and exclude applications, and of changes of parameters between them. After each delta the set united with its part is the set that is
// calculated as a whole; where it is not, the place is named as outdated. A delta with all applications brings all of it up to date.
func TestPartsOneByOne(t *testing.T) {
	t.Parallel()
	applications := map[string]string{"monitoring": monitoring, "pg": postgres}
	descriptor := func(of map[string]bool) string {
		text := ""
		for _, name := range slices.Sorted(maps.Keys(of)) {
			text += applications[name]
		}
		if text == "" {
			return "  []\n"
		}
		return text
	}
	rapid.Check(t, func(r *rapid.T) {
		has := map[string]bool{"pg": true}
		in, files := realRepository(t, descriptor(has))
		united := calculated(t, in)
		changed := 0 // what may be outdated
		step := func(delta map[string]bool, excluded bool) {
			for name := range delta {
				if excluded {
					delete(has, name)
					if name == "monitoring" {
						changed++ // the folder of a blue-green domain is not called as its deploy postfix, so that it stays
					}
				} else {
					has[name] = true
				}
			}
			files[pl01+"Inventory/solution-descriptor/sd.yaml"] = &fstest.MapFile{Data: []byte("applications:\n" + descriptor(has))}
			whole := calculated(t, in)
			part := in
			part.Descriptor, part.DescriptorFile = descriptorOf(t, descriptor(delta)), "delta_sd.yaml"
			set, err := CalculatePart(part, Partial{Before: united.Files, Excluded: excluded, Session: "s"})
			if err != nil {
				r.Fatal(err)
			}
			outdated := outdatedOf(set)
			for name := range set.Files {
				if whole.Files[name] == nil && !isOutdated(name, outdated) {
					r.Errorf("%s is left over", name)
				}
			}
			for name, text := range whole.Files {
				got, want := string(set.Files[name]), string(text)
				if strings.HasSuffix(name, "/mapping.yaml") {
					got, want = withoutOutdated(name, got, outdated), withoutOutdated(name, want, outdated)
				}
				if got != want && !isOutdated(name, outdated) {
					r.Errorf("%s differs, and outdated are only %v: %s", name, outdated, difference(got, want))
				}
			}
			if changed == 0 && len(outdated) > 0 {
				r.Errorf("%v are outdated, and nothing has changed", outdated)
			}
			united = set
		}
		for range rapid.IntRange(1, 4).Draw(r, "steps") {
			if rapid.IntRange(0, 2).Draw(r, "a parameter") == 0 {
				changed++
				name := pl01 + rapid.SampledFrom([]string{"cloud.yml", "Namespaces/pg/namespace.yml", "Namespaces/monitoring-origin/namespace.yml"}).Draw(r, "file")
				text := strings.Replace(string(files[name].Data), "deployParameters:\n", fmt.Sprintf("deployParameters:\n  SINCE_%d: 'yes'\n", changed), 1)
				if text == string(files[name].Data) {
					t.Fatalf("%s has no parameters to change", name)
				}
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			delta := make(map[string]bool)
			for _, name := range rapid.SampledFrom([][]string{{"pg"}, {"monitoring"}, {"monitoring", "pg"}}).Draw(r, "delta") {
				delta[name] = true
			}
			step(delta, rapid.IntRange(0, 3).Draw(r, "excluded") == 0)
		}
		changed = 0
		step(map[string]bool{"pg": true, "monitoring": true}, false)
	})
}

// isOutdated reports whether a file is in one of the places that are named.
func isOutdated(name string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool { return strings.HasPrefix(name, place+"/") })
}

// withoutOutdated is a mapping without the namespaces in whose folders places are named.
func withoutOutdated(name, text string, places []string) string {
	var kept []string
	for line := range strings.Lines(text) {
		folder := path.Dir(name) + "/" + path.Base(strings.TrimSpace(line))
		if !slices.ContainsFunc(places, func(place string) bool { return place == folder || strings.HasPrefix(place, folder+"/") }) {
			kept = append(kept, line)
		}
	}
	return strings.TrimPrefix(strings.Join(kept, ""), "{}\n")
}

package solver

import (
	"cmp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Range is a set of versions, in the language of Masterminds/semver: comparisons with = != > < >=
// <= ~ ^, x-ranges and hyphen ranges, a blank or comma for "and", || for "or". A pre-release is in it
// only if its group names one.
type Range struct {
	text    string
	allowed *semver.Constraints
	withPre *semver.Constraints // the same, pre-releases counted as other versions
}

// ParseRange reads a range. A blank one is "*".
func ParseRange(text string) (*Range, error) {
	text = cmp.Or(strings.TrimSpace(text), "*")
	allowed, err := semver.NewConstraint(text)
	if err != nil {
		return nil, err
	}
	withPre := *allowed
	withPre.IncludePrerelease = true
	return &Range{text, allowed, &withPre}, nil
}

// String is the range as it was written, "*" for a blank one.
func (r *Range) String() string { return r.text }

func (r *Range) admits(v *semver.Version) bool {
	return r == anyVersion || r.allowed.Check(v)
}

// compareVersions orders by precedence, then by the build part: numeric identifiers by value and
// before others, none lowest.
func compareVersions(a, b *semver.Version) int {
	if c := a.Compare(b); c != 0 {
		return c
	}
	x, y := a.Metadata(), b.Metadata()
	switch {
	case x == y:
		return 0
	case x == "":
		return -1
	case y == "":
		return 1
	}
	left, right := strings.Split(x, "."), strings.Split(y, ".")
	for i := range min(len(left), len(right)) {
		if c := compareIdentifiers(left[i], right[i]); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(left), len(right)), cmp.Compare(x, y))
}

func compareIdentifiers(a, b string) int {
	switch aNumber, bNumber := isNumber(a), isNumber(b); {
	case aNumber && bNumber:
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	case aNumber:
		return -1
	case bNumber:
		return 1
	}
	return cmp.Compare(a, b)
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isVersion reports whether a version is the wanted one: a wanted version without a build part is every
// build of it.
func isVersion(wanted, v *semver.Version) bool {
	return wanted.Compare(v) == 0 && (wanted.Metadata() == "" || wanted.Metadata() == v.Metadata())
}

// maxTexts is how many texts of a kind are kept; then it begins again.
const maxTexts = 20_000

// texts keeps what was parsed, as catalogs repeat themselves.
type texts struct {
	ranges   map[string]*Range
	versions map[string]*semver.Version
	rules    map[string]*celRule
}

func newTexts() texts {
	return texts{map[string]*Range{}, map[string]*semver.Version{}, map[string]*celRule{}}
}

func (t texts) rangeOf(text string) (*Range, error) {
	if r := t.ranges[text]; r != nil {
		return r, nil
	}
	r, err := ParseRange(text)
	if err == nil {
		keep(t.ranges, text, r)
	}
	return r, err
}

func (t texts) versionOf(text string) (*semver.Version, error) {
	if v := t.versions[text]; v != nil {
		return v, nil
	}
	v, err := semver.StrictNewVersion(text)
	if err == nil {
		keep(t.versions, text, v)
	}
	return v, err
}

func keep[T any](in map[string]T, text string, parsed T) {
	if len(in) >= maxTexts {
		clear(in)
	}
	in[text] = parsed
}

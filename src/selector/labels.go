package selector

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Labels is a selector on metadata.labels.
type Labels struct {
	requirements []labelRequirement
}

type labelTest uint8

const (
	labelExists labelTest = iota
	labelAbsent
	labelEquals
	labelDiffers
	labelIn
	labelNotIn
)

// labelRequirement is one part of a label selector. Values are sorted and unique: none for exists
// and absent, one for equals and differs.
type labelRequirement struct {
	key    string
	test   labelTest
	values []string
}

// ParseLabels reads a label selector: requirements joined by commas, all of which must hold.
//
//	key           the label is there          !key               it is not
//	key=value     it has the value, also ==   key!=value         it has another one, or is not there
//	key in (a,b)  it has one of the values    key notin (a,b)    it has none of them, or is not there
//
// Values may be empty, and hold any character but white space and ,()=!<>. The empty selector
// matches everything. A selector has at most 100 terms: requirements, and instead of one with a list each of its values.
// The error has the code CodeInvalid and tells the column.
func ParseLabels(text string) (Labels, error) {
	if err := checkUTF8(labelSelector, text); err != nil {
		return Labels{}, err
	}
	p := labelParser{text: text}
	if p.skip(); p.pos == len(text) {
		return Labels{}, nil
	}
	var all []labelRequirement
	for {
		r, err := p.requirement()
		if err != nil {
			return Labels{}, err
		}
		all = append(all, r)
		if p.pos == len(text) {
			break
		}
		if !p.take(",") {
			return Labels{}, p.unexpected("a comma")
		}
	}
	slices.SortFunc(all, compareLabels)
	return Labels{slices.CompactFunc(all, func(a, b labelRequirement) bool { return compareLabels(a, b) == 0 })}, nil
}

func compareLabels(a, b labelRequirement) int {
	return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.test, b.test), slices.Compare(a.values, b.values))
}

// Empty reports whether the selector matches everything.
func (l Labels) Empty() bool { return len(l.requirements) == 0 }

// Matches reports whether the labels of a document's data meet all requirements. Only labels that are
// strings count.
func (l Labels) Matches(data *value.Value) bool {
	if l.Empty() {
		return true
	}
	labels := data.At("metadata", "labels")
	for _, r := range l.requirements {
		if !r.holds(labels.Get(r.key).Str()) {
			return false
		}
	}
	return true
}

func (r labelRequirement) holds(text string, exists bool) bool {
	switch r.test {
	case labelExists:
		return exists
	case labelAbsent:
		return !exists
	case labelEquals, labelIn:
		return exists && r.has(text)
	default:
		return !exists || !r.has(text)
	}
}

func (r labelRequirement) has(text string) bool {
	_, found := slices.BinarySearch(r.values, text)
	return found
}

// String gives the canonical form: sorted, without repetitions. Parsed again it is the same selector.
func (l Labels) String() string {
	parts := make([]string, len(l.requirements))
	for i, r := range l.requirements {
		parts[i] = r.String()
	}
	return strings.Join(parts, ",")
}

func (r labelRequirement) String() string {
	switch r.test {
	case labelAbsent:
		return "!" + r.key
	case labelEquals:
		return r.key + "=" + r.values[0]
	case labelDiffers:
		return r.key + "!=" + r.values[0]
	case labelIn:
		return r.key + " in " + listOf(r.values)
	case labelNotIn:
		return r.key + " notin " + listOf(r.values)
	}
	return r.key
}

func listOf(values []string) string {
	if len(values) == 1 && values[0] == "" {
		return "(,)" // () would be a list of nothing
	}
	return "(" + strings.Join(values, ",") + ")"
}

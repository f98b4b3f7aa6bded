package solver

import (
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// anyVersion is the range of selectors that have none: nothing is filtered, pre-releases neither. It has no text.
var anyVersion = &Range{allowed: mustRange("*").withPre, withPre: mustRange("*").withPre}

func mustRange(text string) *Range {
	r, err := ParseRange(text)
	if err != nil {
		panic(err)
	}
	return r
}

// reader reads parts of the input and collects what is wrong with them. Paths are relative to the part.
type reader struct {
	texts
	decode.Decoder
}

func newReader(t texts, errs *dovetail.Errors) *reader {
	return &reader{t, decode.Decoder{Errors: errs}}
}

func index(i int) string { return "/" + strconv.Itoa(i) }

// fail reports an error of a value at a path.
func fail(errs *dovetail.Errors, v *value.Value, path, remedy, format string, args ...any) {
	newReader(texts{}, errs).Root(v, "", path).Fail(remedy, format, args...)
}

// optionalText reads a text, which may be empty.
func optionalText(f decode.Field) string {
	text, _ := f.AnyText()
	return text
}

func (r *reader) versionRange(f decode.Field) *Range {
	text, ok := f.AnyText()
	if !ok {
		return anyVersion
	}
	return r.parseRange(f, text)
}

func (r *reader) parseRange(f decode.Field, text string) *Range {
	if strings.TrimSpace(text) == "" {
		return anyVersion
	}
	parsed, err := r.rangeOf(text)
	if err != nil {
		f.Fail(`write comparisons as ">=1.0.0 <2.0.0", with || for "or"`, "%s is not a range of versions", decode.Quote(text))
		return anyVersion
	}
	return parsed
}

// version reads a full version of SemVer 2.0.0.
func (r *reader) version(f decode.Field) *semver.Version {
	text, ok := f.AnyText()
	if !ok {
		return nil
	}
	return r.parseVersion(f, text)
}

func (r *reader) parseVersion(f decode.Field, text string) *semver.Version {
	parsed, err := r.versionOf(text)
	if err != nil {
		f.Fail("write major.minor.patch, such as 1.2.3 or 1.2.3-rc.1", "%s is not a version", decode.Quote(text))
	}
	return parsed
}

func integer(f decode.Field) int64 {
	n, err := strconv.ParseInt(f.Value.Text, 10, 64)
	if f.Kind() != value.Number || err != nil {
		f.WrongType("an integer", "write an integer")
	}
	return n
}

// isTextOrMap reports a field that is neither a string nor a map of one of the known members.
func isTextOrMap(f decode.Field, known []string) bool {
	if f.Kind() == value.String || f.Kind() == value.Map {
		return true
	}
	f.WrongType("a string or a map", "use one of "+strings.Join(known, ", "))
	return false
}

// oneOf reports whether a map has exactly one member, and reports it if not.
func oneOf(f decode.Field, known []string) bool {
	switch n := len(f.Value.Members); n {
	case 0:
		f.Fail("use one of "+strings.Join(known, ", "), "this is empty")
	case 1:
		return true
	default:
		f.Fail("use one of "+strings.Join(known, ", "), "this has %d members instead of one", n)
	}
	return false
}

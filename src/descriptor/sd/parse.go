package sd

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Parse reads one SD from JSON or YAML. source is what errors call it. Data is not kept. The errors
// have the reason ReasonDataMalformed, and file, line and column.
func Parse(source string, data []byte) (*Descriptor, error) {
	v, err := readValue(yaml.Parse, source, data, value.Limits{})
	if err != nil {
		return nil, err
	}
	return New(dovetail.Position{File: source}, v)
}

// ParseStored is Parse of the file that an instance repository has of an environment: by YAML 1.1, as the calculation of effective sets reads it.
func ParseStored(source string, data []byte) (*Descriptor, error) {
	v, err := readValue(yaml.ParseClassic, source, data, value.Limits{})
	if err != nil {
		return nil, err
	}
	d, err := New(dovetail.Position{File: source}, v)
	if err != nil {
		return nil, err
	}
	for _, e := range d.entries {
		if e.fault != nil && strings.HasSuffix(e.fault.Remedy, " in quotes") { // not what it is read as, which is 83 for 0123
			e.fault.Remedy = "write it in quotes"
		}
	}
	return d, nil
}

// ParseList reads a list of SDs, one or more, from JSON or YAML, otherwise as Parse.
func ParseList(source string, data []byte) ([]*Descriptor, error) {
	return parseList(source, data, value.Limits{})
}

func parseList(source string, data []byte, limits value.Limits) ([]*Descriptor, error) {
	v, err := readValue(yaml.Parse, source, data, limits)
	if err != nil {
		return nil, err
	}
	return newList(source, v)
}

func newList(source string, v *value.Value) ([]*Descriptor, error) {
	var f faults
	if v.Kind != value.List || len(v.Items) == 0 {
		at := v.Position()
		at.File = source
		what := "a " + v.Kind.String()
		if v.Kind == value.List {
			what = "an empty one"
		}
		return nil, newFault(ReasonDataMalformed, at, "give a list of solution descriptors: [{...}, {...}]", "this must be a list of solution descriptors, not "+what)
	}
	sds := make([]*Descriptor, len(v.Items))
	for i, item := range v.Items {
		descr, err := New(dovetail.Position{File: source, Path: value.Pointer(strconv.Itoa(i))}, item)
		f.Join(err)
		sds[i] = descr
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return sds, nil
}

// parseOneOrList reads one SD, or a list of them.
func parseOneOrList(source string, data []byte, limits value.Limits) ([]*Descriptor, error) {
	v, err := readValue(yaml.Parse, source, data, limits)
	if err != nil {
		return nil, err
	}
	if v.Kind == value.List {
		return newList(source, v)
	}
	descr, err := New(dovetail.Position{File: source}, v)
	if err != nil {
		return nil, err
	}
	return []*Descriptor{descr}, nil
}

type parser = func(source string, data []byte, limits value.Limits) ([]*value.Value, error)

// readValue reads the one document of a text.
func readValue(parse parser, source string, data []byte, limits value.Limits) (*value.Value, error) {
	var jsonErr error
	if text := bytes.TrimSpace(data); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		var v *value.Value
		if v, jsonErr = value.ParseJSON(data, limits); jsonErr == nil {
			return v, nil
		}
	}
	values, err := parse(source, data, limits)
	switch dovetail.CodeOf(err) {
	case "", dovetail.CodeInvalid, dovetail.CodeTooLarge:
	default:
		return nil, err // about the request, not about the text
	}
	if err != nil {
		// Of what is meant to be JSON, its parser's error says more.
		return nil, malformed(source, cmp.Or(jsonErr, err))
	}
	if len(values) != 1 {
		return nil, newFault(ReasonDataMalformed, dovetail.Position{File: source}, "give exactly one",
			fmt.Sprintf("there are %d documents instead of one solution descriptor", len(values)))
	}
	return values[0], nil
}

// malformed gives the parts of a parser's error the reason, the file, and a remedy where they lack one.
func malformed(source string, err error) error {
	var f faults
	f.Join(err)
	for i, part := range f.Kept() {
		p := *part
		p.Reason, p.Position.File = ReasonDataMalformed, source
		p.Remedy = cmp.Or(p.Remedy, "give the solution descriptor as JSON or YAML")
		f.Kept()[i] = &p
	}
	return f.err()
}

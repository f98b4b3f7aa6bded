package yaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Parse reads a stream of YAML documents; empty documents are skipped. Every value has its line
// and column: an aliased value those of the alias, what is inside of it those at the anchor. File
// is the name that errors show; it may be "". Data is not kept.
//
// The limits count for all documents together, with aliases expanded. The error is a
// *dovetail.Error of CodeInvalid or CodeTooLarge with file, line, column and, inside a document,
// path. A syntax error and a limit are reported alone, everything else together.
func Parse(file string, data []byte, limits value.Limits) ([]*value.Value, error) {
	values, errs := parse(new(converter), data, limits.WithDefaults())
	if errs.Total() == 0 {
		return values, nil
	}
	for _, err := range errs.Kept() {
		err.Position.File = file
	}
	errs.Sort(func(a, b *dovetail.Error) int {
		return cmp.Or(a.Position.Line-b.Position.Line, a.Position.Column-b.Position.Column)
	})
	return nil, errs.Err("invalid YAML")
}

// only are errors of one.
func only(err *dovetail.Error) (errs dovetail.Errors) {
	errs.Add(err)
	return errs
}

func parse(c *converter, data []byte, limits value.Limits) ([]*value.Value, dovetail.Errors) {
	var none dovetail.Errors
	if err := check(data, limits); err != nil {
		return nil, only(err)
	}
	var m meter
	limits = m.start(limits)
	v, err := parseJSON(data, limits)
	if v != nil {
		return []*value.Value{v}, none
	}
	if m.err != nil {
		m.err = dovetail.AsError(err) // with its place
	}
	m.giveUp(0)
	if m.err == nil {
		if values, ok := parseQuickly(c.classic, data, limits, &m); ok {
			return values, none
		}
		m.giveUp(0)
	}
	if m.err != nil {
		return nil, only(m.err)
	}
	values, errs := parseStream(c, data, limits, &m)
	if m.err != nil {
		return nil, only(m.err)
	}
	return values, errs
}

// parseStream reads all documents with the library.
func parseStream(c *converter, data []byte, limits value.Limits, meter *meter) ([]*value.Value, dovetail.Errors) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	m := newMeasurer(data, limits)
	nodes := 0
	if meter.limits != nil {
		nodes = nodeCost * guessValues(data)
	}
	if !meter.charge(nodes, placeOf(data, 0)) {
		return nil, only(meter.err)
	}
	defer meter.charge(-nodes, dovetail.Position{})
	var values []*value.Value
	for {
		document, err := decode(decoder)
		switch {
		case errors.Is(err, io.EOF):
			return values, c.errs
		case err != nil:
			return nil, only(syntaxError(err, data))
		case isEmpty(document) && c.python && len(document.Content) > 0:
			values = append(values, value.NullValue())
			continue
		case isEmpty(document):
			continue
		}
		root := document.Content[0]
		before := m.values
		if err := m.measure(root); err != nil {
			return nil, only(err)
		}
		if !meter.charge(m.values-before, dovetail.Position{Line: root.Line, Column: root.Column}) {
			return nil, only(meter.err)
		}
		values = append(values, c.value(root))
	}
}

// parseJSON returns the value of a text that is JSON, otherwise nil: its errors are then reported as those of YAML. JSON
// is YAML, but the library does not know all of its escapes, nor tabs before values.
func parseJSON(data []byte, limits value.Limits) (*value.Value, error) {
	text := bytes.TrimLeft(data, " \t\r\n")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil, nil
	}
	return value.ParseJSON(data, limits)
}

// decode reads one document. The library answers some malformed inputs with a panic.
func decode(decoder *yaml.Decoder) (document *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	document = new(yaml.Node)
	err = decoder.Decode(document)
	return document, err
}

var errPanic = errors.New("the YAML library gave up")

// isEmpty reports whether the document has no value but the null that every empty document has.
func isEmpty(document *yaml.Node) bool {
	if len(document.Content) == 0 {
		return true
	}
	root := document.Content[0]
	return root.Kind == yaml.ScalarNode && root.Value == "" && root.Style == 0 && root.Anchor == ""
}

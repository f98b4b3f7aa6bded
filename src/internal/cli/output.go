package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// format is a value of -o.
type format string

// The formats.
const (
	formatTable format = "table"
	formatWide  format = "wide"
	formatName  format = "name"
	formatJSON  format = "json"
	formatYAML  format = "yaml"
)

var formats = []string{string(formatTable), string(formatWide), string(formatName), string(formatJSON), string(formatYAML)}

// String, Set and Type make a format a flag.
func (f *format) String() string { return string(*f) }

// Set takes the flag's text.
func (f *format) Set(text string) error {
	show, err := parseTemplate(format(text))
	if err != nil {
		return err
	}
	if show == nil && !slices.Contains(formats, text) {
		return fmt.Errorf("must be one of %s, or of %s=... with a text, or -file=... with a file", strings.Join(formats, ", "), strings.Join(templates, "=..., "))
	}
	*f = format(text)
	return nil
}

// Type names the flag's value in help.
func (f *format) Type() string { return "format" }

// only refuses formats that the verb does not have; table is always there.
func (s *session) only(cmd *cobra.Command, known ...format) error {
	if s.output == formatTable || slices.Contains(known, s.output) {
		return nil
	}
	names := []string{string(formatTable)}
	for _, f := range known {
		names = append(names, string(f))
	}
	return usagef(cmd, "-o %s is not known here, only %s", s.output, strings.Join(names, ", "))
}

// shown is a result in every form that -o may ask for.
type shown struct {
	table table
	names []string       // -o name, a line each
	items []*value.Value // -o yaml and json
	// single says that the one item is the result, not a list of one.
	single bool
	bare   bool // custom-columns without their header
}

// show writes the result in the form that was asked for.
func (s *session) show(r shown) {
	switch s.output {
	case formatName:
		for _, name := range r.names {
			fmt.Fprintln(s.Out, name)
		}
	case formatYAML:
		fmt.Fprint(s.Out, string(yaml.Marshal(r.items...)))
	case formatJSON:
		s.showJSON(r)
	case formatTable, formatWide:
		fmt.Fprint(s.Out, r.table.text(s.output == formatWide, s.paintOut()))
	default:
		if err := s.showTemplated(r); err != nil {
			s.unshown = err
		}
	}
}

// showJSON writes the one item, or an object with the list of them, which apply reads again.
func (s *session) showJSON(r shown) {
	fmt.Fprintf(s.Out, "%s\n", indentJSON(r.whole().JSON()))
}

// indentJSON makes a JSON text readable; its numbers and the order of its members stay. What is hidden in its strings is escaped.
func indentJSON(text []byte) []byte {
	var b bytes.Buffer
	check(json.Indent(&b, text, "", "  "))
	inString := func(r rune) bool { return r > '~' && hidden(r) } // the other controls are escaped, or between values
	if !bytes.ContainsFunc(b.Bytes(), inString) {
		return b.Bytes()
	}
	var shown []byte
	for _, r := range b.String() {
		if inString(r) {
			shown = fmt.Appendf(shown, `\u%04x`, r)
			continue
		}
		shown = utf8.AppendRune(shown, r)
	}
	return shown
}

// valueOf makes a value of what encoding/json can write.
func valueOf(v any) (*value.Value, error) { return value.FromAny(v) }

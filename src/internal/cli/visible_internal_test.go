package cli

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestTablesEscape: a cell is what it is, and nothing that a terminal does.
func TestTablesEscape(t *testing.T) {
	tests := []struct{ name, cell, want string }{
		{name: "text", cell: "web é 日本", want: "web é 日本"},
		{name: "a colour", cell: "\x1b[31mred\x1b[0m", want: `\x1b[31mred\x1b[0m`},
		{name: "a line break", cell: "a\nb\tc", want: `a\nb\tc`},
		{name: "a control of one byte more", cell: "a\u009bb", want: `a\u009bb`},
		{name: "another direction", cell: "a\u202eb\u2066", want: `a\u202eb\u2066`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := table{header: []string{"NAME", "X"}}
			table.add(tt.cell, "x")
			plain := func(_ colour, text string) string { return text }
			text := table.text(false, plain)
			if want := tt.want + gap + "x\n"; len(text) < len(want) || text[len(text)-len(want):] != want {
				t.Errorf("got %q, want %q at the end", text, want)
			}
		})
	}
}

// TestDescriptionsEscape: a text stays on its line, and shows in its order, as in a table; data is escaped as its format does.
func TestDescriptionsEscape(t *testing.T) {
	tests := []struct{ name, text, line, yaml, json string }{
		{name: "text", text: "web é 日本", line: "web é 日本", yaml: "web é 日本", json: `"web é 日本"`},
		{name: "another direction", text: "a\u202eb\u2066", line: `a\u202eb\u2066`, yaml: `"a\u202Eb\u2066"`, json: `"a\u202eb\u2066"`},
		{name: "a control of one byte more", text: "a\u009bb", line: `a\u009bb`, yaml: `"a\x9Bb"`, json: `"a\u009bb"`},
		{name: "a deletion", text: "a\x7fb", line: `a\x7fb`, yaml: `"a\x7Fb"`, json: `"a\u007fb"`},
		{name: "a line that seems another one", text: "a\nBy: root", line: `a\nBy: root`, yaml: "|-\n    a\n    By: root", json: `"a\nBy: root"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := value.NewString(tt.text)
			d := description{paint: paintNot}
			d.line("Message", tt.text)
			if err := d.json("Data", value.NewMap(value.Member{Name: "m", Value: text}).JSON()); err != nil {
				t.Fatal(err)
			}
			if got, want := d.text.String(), "Message:                "+tt.line+"\nData:\n  m: "+tt.yaml+"\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := string(indentJSON(text.JSON())); got != tt.json {
				t.Errorf("JSON: got %q, want %q", got, tt.json)
			}
		})
	}
}

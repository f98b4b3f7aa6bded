package cli

import "testing"

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

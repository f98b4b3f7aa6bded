package value

import "github.com/dovetail-store/dovetail/src/dovetail"

// Kind is the type of a Value.
type Kind uint8

// The kinds of values: what JSON knows.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// Value is one value with its place in the input. Maps keep the order of their members, and
// numbers the text they were written with, so that what is read is written again exactly.
type Value struct {
	Kind    Kind
	Text    string   // of a String its text, of a Number its JSON literal, of a Bool "true" or "false"
	Items   []*Value // of a List
	Members []Member // of a Map; names are unique

	Place
}

// Member is one name and value of a Map. The place is that of the name.
type Member struct {
	Name  string
	Value *Value

	Place
}

// Place is where something stands in a text. Its numbers are small, since large inputs have many values.
type Place struct {
	Line, Column int32 // from 1, column in bytes; 0 when not known
}

// At is a place.
func At(line, column int) Place { return Place{int32(line), int32(column)} }

// Position is the place without file and path.
func (p Place) Position() dovetail.Position { return p.In("") }

// In is the place in a file.
func (p Place) In(file string) dovetail.Position {
	return dovetail.Position{File: file, Line: int(p.Line), Column: int(p.Column)}
}

// Limits bound what a parser accepts. A zero field means its default.
type Limits struct {
	Bytes  int // size of the input; default 16 MiB
	Depth  int // nesting of lists and maps; default 100
	Values int // values in all, after aliases are expanded; default 2,000,000
	// Charge, where not nil, is called with a number of values, every few hundred of them, that were made or are about
	// to be; with a negative number for those that were given up. Its error ends the parsing and is the parser's.
	Charge func(values int) error
}

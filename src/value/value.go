package value

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

	Line, Column int // from 1, column in bytes; 0 when not known
}

// Member is one name and value of a Map. Line and Column are those of the name.
type Member struct {
	Name         string
	Value        *Value
	Line, Column int
}

// Limits bound what a parser accepts. A zero field means its default.
type Limits struct {
	Bytes  int // size of the input; default 16 MiB
	Depth  int // nesting of lists and maps; default 100
	Values int // values in all, after aliases are expanded; default 2,000,000
}

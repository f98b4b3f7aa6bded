package schema

import (
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Path says where in the data of a document something stands, from the root on: "spec.a",
// "metadata.labels", "spec.ports[*].name", `spec["a.b"]`. Equal paths are equal with ==. The zero
// Path is none.
//
// [*] stands for every item of a list or every value of a map, .* for every member of a map. They
// differ as the `at` of a reference, where a last .* takes the names of the members.
type Path struct{ text string }

// maxPath is the number of bytes up to which a path is read.
const maxPath = 1024

// pathRemedy says what a path may be.
const pathRemedy = `write member names joined by dots, [*] for every item of a list, .* for every member of a map, and names with other characters as ["a.b"]: spec.ports[*].name`

// ParsePath reads a path. The error has the code CodeInvalid and tells the column.
func ParsePath(text string) (Path, error) {
	fail := func(at int, format string, args ...any) (Path, error) {
		err := dovetail.Errorf(dovetail.CodeInvalid, "column %d: "+format, append([]any{at + 1}, args...)...)
		err.Remedy = pathRemedy
		return Path{}, err
	}
	if len(text) > maxPath {
		return fail(maxPath, "the path has more than %d bytes", maxPath)
	}
	if !utf8.ValidString(text) {
		return fail(0, "the path is not UTF-8")
	}
	var canonical strings.Builder
	for at := 0; at < len(text) || at == 0; {
		if text != "" && text[at] == '[' {
			s, size, problem := readBracket(text[at:])
			if problem != "" {
				return fail(at, "%s", problem)
			}
			if s.any && at == 0 {
				return fail(at, "a path begins with the name of a member")
			}
			s.append(&canonical)
			at += size
			continue
		}
		if at > 0 {
			if text[at] != '.' {
				return fail(at, "%s follows a bracket, not a dot or another bracket", short(text[at:at+1]))
			}
			at++
		}
		size := strings.IndexAny(text[at:], ".[")
		if size < 0 {
			size = len(text) - at
		}
		name := text[at : at+size]
		switch plain := plainLength(name); {
		case name == "":
			return fail(at, "the name of a member is missing")
		case name == "*" && at == 0:
			return fail(at, "a path begins with the name of a member")
		case name != "*" && plain < len(name):
			return fail(at+plain, "the name of a member cannot hold this character outside of brackets")
		}
		s := step{name: name, any: name == "*"}
		s.append(&canonical)
		at += size
	}
	return Path{canonical.String()}, nil
}

// String returns the path as ParsePath reads it, with brackets only where they are needed.
func (p Path) String() string { return p.text }

// IsZero reports whether the path is none.
func (p Path) IsZero() bool { return p.text == "" }

// Names returns the names of the members on the way, and false where the path has a [*] or .*.
func (p Path) Names() (names []string, ok bool) {
	for _, s := range p.steps() {
		if s.any {
			return nil, false
		}
		names = append(names, s.name)
	}
	return names, true
}

// List returns the path of the list whose items the path names, and false for a path that ends otherwise.
func (p Path) List() (Path, bool) {
	text, found := strings.CutSuffix(p.text, "[*]")
	return Path{text}, found
}

// MarshalText writes the path as String does.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// Values returns the places of the data that the path names, in the order of the data: for each its
// JSON Pointer and its value. Places that are absent or null are left out.
func (p Path) Values(data *value.Value) iter.Seq2[string, *value.Value] {
	return func(yield func(string, *value.Value) bool) {
		if p.text != "" {
			w := walker{yield: func(at []string, v *value.Value) bool { return yield(value.Pointer(at...), v) }}
			w.walk(p.text, data)
		}
	}
}

// walker goes to the places that a path names.
type walker struct {
	at    []string // the steps to the current value, from the root on
	yield func(at []string, v *value.Value) bool
}

// walk continues from v with the rest of a path, until yield returns false; then it does so, too.
func (w *walker) walk(rest string, v *value.Value) bool {
	if v == nil || v.Kind == value.Null {
		return true
	}
	if rest == "" {
		return w.yield(w.at, v)
	}
	s, rest := nextStep(rest)
	if !s.any {
		return w.into(s.name, rest, v.Get(s.name))
	}
	if s.items {
		for i, item := range v.Items {
			if !w.into(strconv.Itoa(i), rest, item) {
				return false
			}
		}
	}
	for i := range v.Members {
		if m := &v.Members[i]; !w.into(m.Name, rest, m.Value) {
			return false
		}
	}
	return true
}

func (w *walker) into(name, rest string, v *value.Value) bool {
	w.at = append(w.at, name)
	goOn := w.walk(rest, v)
	w.at = w.at[:len(w.at)-1]
	return goOn
}

// step is one step of a path: the member of a name, or any.
type step struct {
	name  string
	any   bool
	items bool // [*]: the items of lists, too
}

// append writes a step behind others.
func (s step) append(to *strings.Builder) {
	switch {
	case s.items:
		to.WriteString("[*]")
		return
	case !s.any && (s.name == "" || plainLength(s.name) < len(s.name)):
		to.WriteString(`["` + quoteName.Replace(s.name) + `"]`)
		return
	case to.Len() > 0:
		to.WriteByte('.')
	}
	if s.any {
		to.WriteByte('*')
		return
	}
	to.WriteString(s.name)
}

var quoteName = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// steps are the steps from the root on.
func (p Path) steps() []step {
	var all []step
	for rest := p.text; rest != ""; {
		var s step
		s, rest = nextStep(rest)
		all = append(all, s)
	}
	return all
}

// nextStep takes the first step off a path that is written as String writes it.
func nextStep(path string) (step, string) {
	if path[0] == '[' {
		s, size, _ := readBracket(path)
		return s, path[size:]
	}
	path = strings.TrimPrefix(path, ".")
	size := strings.IndexAny(path, ".[")
	if size < 0 {
		size = len(path)
	}
	return step{name: path[:size], any: path[:size] == "*"}, path[size:]
}

// readBracket reads [*], ["name"] or ['name'] at the beginning of a text, and says how long it is, or
// what is wrong.
func readBracket(text string) (s step, size int, problem string) {
	if strings.HasPrefix(text, "[*]") {
		return step{any: true, items: true}, len("[*]"), ""
	}
	if len(text) < 2 || text[1] != '"' && text[1] != '\'' {
		return step{}, 0, `a bracket holds * or a name in quotes`
	}
	quote := text[1]
	var name strings.Builder
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			if !strings.HasPrefix(text[i+1:], "]") {
				return step{}, 0, "the bracket is not closed behind the name"
			}
			return step{name: name.String()}, i + 2, ""
		case c == '\\':
			if i++; i == len(text) || text[i] != '\\' && text[i] != '"' && text[i] != '\'' {
				return step{}, 0, `a backslash stands before a quote or another backslash only`
			}
			name.WriteByte(text[i])
		case c < ' ':
			return step{}, 0, "a name cannot hold control characters"
		default:
			name.WriteByte(c)
		}
	}
	return step{}, 0, "the quotes are not closed"
}

// plainLength is how many bytes of a name can be written without brackets: letters of any
// alphabet, digits, and a few signs.
func plainLength(name string) int {
	for i, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-$/@:", c) {
			return i
		}
	}
	return len(name)
}

// Package api declares what a server and its clients have to agree upon, once: the paths of a server, and the types of the bodies
// that it answers and reads. Server, Go client and command line use these types, and the OpenAPI description of the server is
// made from them.
//
// A field without omitempty is always there. The tag doc describes a field, and type is the type of one that is raw JSON. A text with a fixed set of values is an
// [Enum], or lists them in the tag enum.
package api

// Enum is a text with a fixed set of values.
type Enum interface {
	// Values returns all values.
	Values() []string
}

func texts[T ~string](values ...T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

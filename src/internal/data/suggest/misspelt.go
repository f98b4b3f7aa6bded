package suggest

import "strings"

// Misspells reports whether a name looks like another one with a slip of the fingers: one letter more, less, other
// or swapped, two of a name of eight letters or more, or letters of the other case. Short
// names have many neighbours: one of less than four letters is only misspelt in its case. A number
// at the end makes another name.
func Misspells(written, name string) bool {
	if d := len(written) - len(name); written == name || len(written) > longest || d > 2 || d < -2 {
		return false
	}
	if strings.EqualFold(written, name) {
		return true
	}
	if len(name) < 4 || strings.TrimRight(written, "0123456789") == name {
		return false
	}
	most := 1
	if len(name) >= 8 {
		most = 2
	}
	return distance(strings.ToLower(written), strings.ToLower(name), most+1) <= most
}

package dovetail

import "bytes"

// RawMember is a member of a JSON object as it is written: the name in quotation marks.
type RawMember struct{ Name, Value []byte }

// RawMembers returns the members of a JSON object without parsing their values. It expects compact JSON as documents contain it: ok is
// false if the text is not an object, has whitespace, or has a name with an escape, which needs a parser.
func RawMembers(object []byte) (members []RawMember, ok bool) {
	if len(object) < 2 || object[0] != '{' {
		return nil, false
	}
	if object[1] == '}' {
		return nil, len(object) == 2
	}
	const usual = 6
	members = make([]RawMember, 0, usual)
	for at := 1; ; at++ {
		if at >= len(object) || object[at] != '"' {
			return nil, false
		}
		colon, _ := skipString(object, at)
		if colon < 0 || colon >= len(object) || object[colon] != ':' || bytes.IndexByte(object[at:colon], '\\') >= 0 {
			return nil, false
		}
		end, _ := skipValue(object, colon+1, 0)
		if end < 0 || end >= len(object) {
			return nil, false
		}
		members = append(members, RawMember{object[at:colon], object[colon+1 : end]})
		switch at = end; object[at] {
		case ',':
		case '}':
			return members, at == len(object)-1
		default:
			return nil, false
		}
	}
}

package kubeapi

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// appendObject appends a document as an object, as resource.object makes it, without reading what the data hold. It is false for the few
// documents whose members cannot be told apart so.
func (r *resource) appendObject(dst []byte, doc *dovetail.Document) ([]byte, bool) {
	members, ok := dovetail.RawMembers(doc.Data)
	if !ok {
		return nil, false
	}
	var own []dovetail.RawMember
	for _, m := range members {
		if is(m, memberMetadata) && m.Value[0] == '{' {
			if own, ok = dovetail.RawMembers(m.Value); !ok {
				return nil, false
			}
		}
	}
	status, managers, ok := store.SplitStatus(doc.Status)
	if !ok {
		return nil, false
	}
	dst = append(append(append(dst, `{"apiVersion":"`...), r.apiVersion()...), `","kind":"`...)
	dst = append(append(dst, r.kind...), `","metadata":`...)
	if dst, ok = r.appendMetadata(dst, doc, own, managers); !ok {
		return nil, false
	}
	for _, m := range members {
		switch {
		case is(m, memberMetadata) && m.Value[0] == '{':
		case is(m, memberMetadata), is(m, ofObject...):
			return nil, false // shown by another name
		default:
			dst = appendMember(dst, m)
		}
	}
	if len(status) > 0 {
		dst = append(append(dst, `,"status":`...), status...)
	}
	return append(dst, '}'), true
}

func (r *resource) appendMetadata(dst []byte, doc *dovetail.Document, own []dovetail.RawMember, managers []byte) ([]byte, bool) {
	namespace, name := r.place(doc.ID)
	dst = appendText(append(dst, `{"name":`...), name)
	if r.namespaced() {
		dst = appendText(append(dst, `,"namespace":`...), namespace)
	}
	if doc.UID != "" {
		dst = appendText(append(dst, `,"uid":`...), doc.UID)
		dst = appendText(append(dst, `,"resourceVersion":`...), doc.ETag().Version())
	}
	if !doc.Created.IsZero() {
		dst = append(doc.Created.UTC().AppendFormat(append(dst, `,"creationTimestamp":"`...), time.RFC3339), '"')
	}
	for _, m := range own {
		switch {
		case is(m, memberName):
		case is(m, ofMetadata...), is(m, refused...):
			return nil, false
		default:
			dst = appendMember(dst, m)
		}
	}
	if managers != nil {
		dst = append(append(dst, `,"managedFields":`...), managers...)
	}
	return append(dst, '}'), true
}

// appendText appends a text as JSON. Most have nothing to be escaped.
func appendText(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(text)
			if err != nil {
				panic(err) // of a text
			}
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}

// is reports whether a member has one of the names.
func is(m dovetail.RawMember, names ...string) bool {
	return slices.Contains(names, string(m.Name[1:len(m.Name)-1]))
}

func appendMember(dst []byte, m dovetail.RawMember) []byte {
	return append(append(append(append(dst, ','), m.Name...), ':'), m.Value...)
}

package mongo

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// transcode returns the BSON of a text in the form in which the store writes JSON: compact, without escapes, with numbers in their
// usual form. It checks token by token that the BSON reproduces the text, which saves parsing it to a tree and comparing it. For
// other texts it returns false: use toBSONAround.
func transcode(text []byte) (bson.RawValue, bool) {
	t := transcoder{text: text, bson: make([]byte, 0, 2*len(text)), names: make([][]byte, 0, 8)} // usually large enough
	kind, ok := t.value(maxDepth)
	return bson.RawValue{Type: bson.Type(kind), Value: t.bson}, ok && t.at == len(text)
}

// maxNames is the maximum number of fields of one object that are compared to find duplicates.
const maxNames = 32

// transcoder has read a text up to a position, and has the BSON of what it has read.
type transcoder struct {
	text  []byte
	at    int
	bson  []byte
	names [][]byte // of the fields of the enclosing objects
}

// take consumes a byte if it is the next one.
func (t *transcoder) take(c byte) bool {
	if t.at == len(t.text) || t.text[t.at] != c {
		return false
	}
	t.at++
	return true
}

func (t *transcoder) takeWord(word string) bool {
	if !bytes.HasPrefix(t.text[t.at:], []byte(word)) {
		return false
	}
	t.at += len(word)
	return true
}

func (t *transcoder) value(depth int) (bsoncore.Type, bool) {
	if t.at == len(t.text) || depth == 0 {
		return 0, false
	}
	switch t.text[t.at] {
	case '"':
		text, ok := t.string()
		t.bson = append(append(bsoncore.AppendInt32(t.bson, int32(len(text)+1)), text...), 0)
		return bsoncore.TypeString, ok
	case '{':
		return bsoncore.TypeEmbeddedDocument, t.object(depth)
	case '[':
		return bsoncore.TypeArray, t.list(depth)
	case 'n':
		return bsoncore.TypeNull, t.takeWord("null")
	case 't':
		t.bson = bsoncore.AppendBoolean(t.bson, true)
		return bsoncore.TypeBoolean, t.takeWord("true")
	case 'f':
		t.bson = bsoncore.AppendBoolean(t.bson, false)
		return bsoncore.TypeBoolean, t.takeWord("false")
	}
	return t.number()
}

func (t *transcoder) list(depth int) bool {
	t.at++
	at, list := bsoncore.AppendArrayStart(t.bson)
	t.bson = list
	for n := 0; !t.take(']'); n++ {
		if n > 0 && !t.take(',') {
			return false
		}
		kind := len(t.bson)
		t.bson = append(strconv.AppendInt(append(t.bson, 0), int64(n), 10), 0)
		if !t.element(kind, depth) {
			return false
		}
	}
	t.bson = end(t.bson, at)
	return true
}

func (t *transcoder) object(depth int) bool {
	t.at++
	at, object := bsoncore.AppendDocumentStart(t.bson)
	t.bson = object
	around := len(t.names)
	for first := true; !t.take('}'); first = false {
		if !first && !t.take(',') {
			return false
		}
		kind := len(t.bson)
		if !t.name(around) || !t.element(kind, depth) {
			return false
		}
	}
	t.names = t.names[:around]
	t.bson = end(t.bson, at)
	return true
}

// name reads the name of a field, which must be unique in its object.
func (t *transcoder) name(around int) bool {
	name, ok := t.string()
	if !ok || !t.take(':') || len(name) == 0 || bytes.ContainsAny(name, ".$") || len(t.names)-around == maxNames {
		return false
	}
	for _, other := range t.names[around:] {
		if bytes.Equal(name, other) {
			return false
		}
	}
	t.names = append(t.names, name)
	t.bson = append(append(append(t.bson, 0), name...), 0)
	return true
}

// element reads the value of an element after its name, and sets its type.
func (t *transcoder) element(kind, depth int) bool {
	is, ok := t.value(depth - 1)
	t.bson[kind] = byte(is)
	return ok
}

// string reads a string without escapes.
func (t *transcoder) string() ([]byte, bool) {
	if !t.take('"') {
		return nil, false
	}
	rest := t.text[t.at:]
	ascii := true
	for i, c := range rest {
		switch {
		case c == '"':
			t.at += i + 1
			return rest[:i], ascii || utf8.Valid(rest[:i])
		case c < ' ' || c == '\\' || c == 0x7f:
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// number reads a number in the form in which appendJSON writes it.
func (t *transcoder) number() (bsoncore.Type, bool) {
	from := t.at
	for t.at < len(t.text) && bytes.IndexByte([]byte("0123456789.-"), t.text[t.at]) >= 0 {
		t.at++
	}
	var usual [32]byte
	text, again := t.text[from:t.at], usual[:0]
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		again = strconv.AppendInt(again, n, 10)
	} else if f, err := strconv.ParseFloat(string(text), 64); err == nil {
		again = appendDouble(again, f)
	}
	kind, number := appendNumber(t.bson, string(text))
	t.bson = number
	return kind, len(again) > 0 && bytes.Equal(text, again)
}

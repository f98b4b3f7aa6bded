package mongo

import (
	"bytes"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/dovetail-store/dovetail/src/value"
)

// JSON is stored as BSON, so that it can be read and queried with MongoDB's tools. Since reads must return the exact text that was
// written, the text is stored beside the BSON unless it can be reproduced from it. If it is stored, reads return it, and the BSON
// only serves ad-hoc queries.
//
// The text can be reproduced if it is compact, as package value writes it, if its numbers are 64-bit integers or decimals in their
// shortest form, and if no field name is one that servers reject or queries cannot address. Otherwise it is stored: for 1e3, 1.50,
// 2^70, "a.b", "$set".

// maxDepth is the maximum depth of JSON that is stored as BSON; servers accept 100 levels in total.
const maxDepth = 60

// toBSON returns the value as BSON, and whether fromBSON reproduces the text. It returns no BSON if the text is not JSON, or too deep.
func toBSON(text []byte) (v bson.RawValue, exact bool) {
	if v, exact = transcode(text); exact {
		return v, true
	}
	return toBSONAround(text)
}

// toBSONAround is toBSON for any text. It parses the text, and compares it with the text made from the BSON.
func toBSONAround(text []byte) (v bson.RawValue, exact bool) {
	parsed, err := value.ParseJSON(text, value.Limits{Bytes: len(text) + 1, Depth: maxDepth, Values: len(text) + 1})
	if err != nil {
		return v, false
	}
	kind, data := appendValue(make([]byte, 0, 2*len(text)), parsed) // usually large enough
	v = bson.RawValue{Type: bson.Type(kind), Value: data}
	buffer := buffers.Get().(*[]byte)
	*buffer, err = appendJSON((*buffer)[:0], v)
	exact = err == nil && bytes.Equal(*buffer, text)
	if cap(*buffer) <= maxBuffer {
		buffers.Put(buffer)
	}
	return v, exact
}

// maxBuffer is the maximum size of a buffer that is reused.
const maxBuffer = 1 << 20

// buffers are for texts that are only compared.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// appendValue appends a value as BSON.
func appendValue(dst []byte, v *value.Value) (bsoncore.Type, []byte) {
	switch v.Kind {
	case value.Bool:
		return bsoncore.TypeBoolean, bsoncore.AppendBoolean(dst, v.Text == "true")
	case value.Number:
		return appendNumber(dst, v.Text)
	case value.String:
		return bsoncore.TypeString, bsoncore.AppendString(dst, v.Text)
	case value.List:
		at, dst := bsoncore.AppendArrayStart(dst)
		for i, item := range v.Items {
			dst = appendElement(dst, strconv.Itoa(i), item)
		}
		return bsoncore.TypeArray, end(dst, at)
	case value.Map:
		at, dst := bsoncore.AppendDocumentStart(dst)
		for _, m := range v.Members {
			dst = appendElement(dst, memberName(m.Name), m.Value)
		}
		return bsoncore.TypeEmbeddedDocument, end(dst, at)
	case value.Null:
	}
	return bsoncore.TypeNull, dst
}

// appendElement appends a named value. Its type precedes it, and is set afterwards.
func appendElement(dst []byte, name string, v *value.Value) []byte {
	at := len(dst)
	dst = append(append(append(dst, 0), name...), 0)
	kind, dst := appendValue(dst, v)
	dst[at] = byte(kind)
	return dst
}

func end(dst []byte, at int32) []byte {
	dst = append(dst, 0)
	return bsoncore.UpdateLength(dst, at, int32(len(dst[at:])))
}

func appendNumber(dst []byte, text string) (bsoncore.Type, []byte) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n == int64(int32(n)) {
			return bsoncore.TypeInt32, bsoncore.AppendInt32(dst, int32(n))
		}
		return bsoncore.TypeInt64, bsoncore.AppendInt64(dst, n)
	}
	f, _ := strconv.ParseFloat(text, 64) // a number out of range becomes infinite, which is good enough for ad-hoc queries
	return bsoncore.TypeDouble, bsoncore.AppendDouble(dst, f)
}

// memberName returns the BSON name of a field: it replaces characters that servers reject or queries interpret by similar ones.
func memberName(name string) string {
	if name == "" {
		return "∅"
	}
	if strings.ContainsAny(name, ".$\x00") {
		name = strings.NewReplacer(".", "．", "$", "＄", "\x00", "␀").Replace(name)
	}
	return name
}

// fromBSON returns the JSON text of a value.
func fromBSON(v bson.RawValue) ([]byte, error) {
	return appendJSON(make([]byte, 0, 2*len(v.Value)), v)
}

func appendJSON(dst []byte, v bson.RawValue) ([]byte, error) {
	switch v.Type {
	case bson.TypeNull:
		return append(dst, "null"...), nil
	case bson.TypeBoolean:
		return strconv.AppendBool(dst, v.Boolean()), nil
	case bson.TypeInt32:
		return strconv.AppendInt(dst, int64(v.Int32()), 10), nil
	case bson.TypeInt64:
		return strconv.AppendInt(dst, v.Int64(), 10), nil
	case bson.TypeDouble:
		return appendDouble(dst, v.Double()), nil
	case bson.TypeString:
		text, ok := v.StringValueOK()
		if !ok {
			return nil, damaged()
		}
		return value.NewString(text).AppendJSON(dst), nil
	case bson.TypeArray:
		return appendMembers(dst, '[', v.Value, ']', false)
	case bson.TypeEmbeddedDocument:
		return appendMembers(dst, '{', v.Value, '}', true)
	}
	return nil, corrupt("a value of type " + v.Type.String() + " stands where JSON was stored")
}

func appendMembers(dst []byte, opening byte, raw bson.Raw, closing byte, named bool) ([]byte, error) {
	dst = append(dst, opening)
	first := true
	for element, err := range elementsOf(raw) {
		if err != nil {
			return nil, err
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if named {
			dst = append(value.NewString(element.Key()).AppendJSON(dst), ':')
		}
		if dst, err = appendJSON(dst, valueOf(element)); err != nil {
			return nil, err
		}
	}
	return append(dst, closing), nil
}

// elementsOf yields the fields of a document, or the items of an array, without copying them.
func elementsOf(raw bson.Raw) iter.Seq2[bsoncore.Element, error] {
	return func(yield func(bsoncore.Element, error) bool) {
		length, rest, ok := bsoncore.ReadLength(raw)
		if !ok || int(length) != len(raw) {
			yield(nil, damaged())
			return
		}
		for len(rest) > 1 {
			var element bsoncore.Element
			if element, rest, ok = bsoncore.ReadElement(rest); !ok {
				yield(nil, damaged())
				return
			}
			if !yield(element, nil) {
				return
			}
		}
	}
}

func valueOf(element bsoncore.Element) bson.RawValue {
	v := element.Value()
	return bson.RawValue{Type: bson.Type(v.Type), Value: v.Data}
}

func damaged() error { return corrupt("a stored document is damaged") }

// appendDouble appends a float in its shortest form, always with a point and without an exponent.
func appendDouble(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(dst, "null"...) // never exact, so never read
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if !bytes.ContainsRune(dst[at:], '.') {
		dst = append(dst, ".0"...)
	}
	return dst
}

// storable reports whether the text can be a BSON string.
func storable(text []byte) bool { return utf8.Valid(text) }

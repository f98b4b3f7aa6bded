package emcostore

import (
	"go.mongodb.org/mongo-driver/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/value"
)

// storedForm is a value of Go as EMCO stores it: under the names that BSON gives its fields, in canonical Extended JSON.
func storedForm(data any) (*value.Value, error) {
	text, err := bson.MarshalExtJSON(bson.D{{Key: "is", Value: data}}, true, false)
	if err != nil {
		return nil, err
	}
	document, err := value.ParseJSON(text, value.Limits{})
	if err != nil {
		return nil, err
	}
	return document.Get("is"), nil
}

// binaryForm is a stored value as Find gives it back: the bytes of its BSON, or the text where it is one. Nil stays nil.
func binaryForm(stored *value.Value) ([]byte, error) {
	if stored == nil {
		return nil, nil
	}
	var document bson.D
	if err := bson.UnmarshalExtJSON(value.NewMap(value.Member{Name: "is", Value: stored}).JSON(), false, &document); err != nil {
		return nil, err
	}
	raw, err := bson.Marshal(document)
	if err != nil {
		return nil, err
	}
	is := bson.Raw(raw).Lookup("is")
	if text, isText := is.StringValueOK(); isText {
		return []byte(text), nil
	}
	return is.Value, nil
}

// partsOf reads the parts of a document; those of none are empty.
func partsOf(doc *dovetail.Document) (*emco.Parts, error) {
	parts := &emco.Parts{}
	if doc == nil {
		return parts, nil
	}
	var err error
	if parts.Data, err = value.DataOf(doc, nil); err != nil {
		return nil, err
	}
	if len(doc.Status) > 0 {
		parts.Status, err = value.StatusOf(doc)
	}
	parts.Content = doc.Content
	return parts, err
}

package layering

import (
	"cmp"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// The elements of keys, as ref-schemas/v1.yaml names them.
const (
	elementHead     = "layeringHead"
	elementBucket   = "layeringBucket"
	elementSchema   = "layeringSchema"
	elementLayer    = "layeringLayer"
	elementDocument = "layeredDocument"
	elementContent  = "layeringContent"
	elementRevision = "layeringRevision"
	elementIndex    = "layeringIndex"
	elementTag      = "layeringTag"
	elementCheck    = "layeringValidation"
	elementEntry    = "layeringValidationEntry"
)

// Kinds are those of the documents that hold revisions.
var Kinds = []string{elementHead, elementBucket, elementSchema, elementLayer, elementDocument, elementContent, elementRevision, elementIndex, elementTag,
	elementCheck, elementEntry}

const (
	headName  = "head"  // of the one layeringHead
	indexName = "index" // of the one layeringIndex of a revision
	noLayer   = "-"     // in keys of documents without a layer
)

const root = dovetail.ID("")

// headID is the document that says which revision is the newest.
var headID = root.Child(elementHead, headName)

func bucketID(bucket string) dovetail.ID { return root.Child(elementBucket, bucket) }

// placeOf is where a document of the newest revision is stored.
func placeOf(e entry) dovetail.ID {
	return bucketID(e.bucket).Child(elementSchema, e.id.Schema).Child(elementLayer, cmp.Or(e.id.Layer, noLayer)).Child(elementDocument, e.id.Name)
}

func contentID(name string) dovetail.ID { return root.Child(elementContent, name) }

func revisionID(number int) dovetail.ID {
	return root.Child(elementRevision, strconv.Itoa(number))
}

func indexID(number int) dovetail.ID { return revisionID(number).Child(elementIndex, indexName) }

// checkPlace says what keeps a document from being stored: names that no key can have.
func checkPlace(e entry) *dovetail.Error {
	for _, part := range []struct{ what, text string }{{"schema", e.id.Schema}, {"metadata.name", e.id.Name}, {"layer", cmp.Or(e.id.Layer, noLayer)}} {
		if why := dovetail.CheckValue(part.text); why != "" {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Reason: rendering.ClassInvalidDocumentFormat, Message: "the " + part.what + " of the document " + why,
				Remedy: "give it another one"}
		}
	}
	return nil
}

// badName refuses a name in a path that no key can have.
func badName(what, why string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the name of the " + what + " " + why, Remedy: "give it another name"}
}

// nameMember is the metadata that every document of the store has.
func nameMember(name string) value.Member {
	return value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: value.NewString(name)})}
}

// members are those of a map; there are none where nothing is.
func members(v *value.Value) []value.Member {
	if v == nil {
		return nil
	}
	return v.Members
}

// items are those of a list; there are none where nothing is.
func items(v *value.Value) []*value.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// textOf is the text of a scalar, "" of anything else.
func textOf(v *value.Value) string {
	if v == nil {
		return ""
	}
	return v.Text
}

// lastValue is the value of the last element of an id.
func lastValue(id dovetail.ID) string {
	key := id.Key()
	if len(key) == 0 {
		return ""
	}
	return key[len(key)-1].Value
}

package emco

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// RecordKind is the kind of records, in ref-schemas of databases that EMCO's services use themselves.
const RecordKind = "emcoRecord"

// Collection is the collection of EMCO's resources.
const Collection = "resources"

// Record is what EMCO's services store under a key and no document of a resource holds: kubeconfigs, private keys, and what is not known.
type Record struct {
	Collection string            `json:"collection"`
	Key        map[string]string `json:"key"`
	Members    map[string]string `json:"members"` // what it is selected by: the key, and texts beside it
	Tags       map[string]string `json:"tags"`    // in Extended JSON
	// Of is the digest of the document's data that the tag data is another form of, where the names of its fields are not known.
	Of string `json:"of,omitempty"`
}

// ID is the id of the record of a key.
func (r *Record) ID() dovetail.ID {
	key, _ := json.Marshal([]any{r.Collection, r.Key}) // texts can always be written
	digest := sha256.Sum256(key)
	return dovetail.ID("").Child(RecordKind, hex.EncodeToString(digest[:16]))
}

// recordOf is the record of a stored document, with some of its members or, where none are named, all.
func recordOf(stored *value.Value, tags ...string) *Record {
	r := &Record{Collection: Collection, Key: make(map[string]string), Members: make(map[string]string), Tags: make(map[string]string)}
	for name := range strings.SplitSeq(strings.Trim(text(stored.Get(memberKeyID)), "{}"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			r.Key[name] = text(stored.Get(name))
			r.Members[name] = r.Key[name]
		}
	}
	for _, m := range stored.Members {
		_, ofKey := r.Key[m.Name]
		switch {
		case ofKey, slices.Contains([]string{memberID, memberKeyID, memberReferences}, m.Name), len(tags) > 0 && !slices.Contains(tags, m.Name):
		case m.Value.Kind == value.String:
			r.Members[m.Name] = m.Value.Text
		default:
			r.Tags[m.Name] = string(m.Value.JSON())
		}
	}
	return r
}

// record keeps members of a stored document as they are, all where none are named; nil where the target has no records.
func (m *Migration) record(stored *value.Value, tags ...string) *resource {
	kind := m.names[RecordKind]
	r := recordOf(stored, tags...)
	if kind == nil || len(r.Key) == 0 {
		return nil
	}
	data, err := value.FromAny(r)
	if err != nil {
		return nil // which texts never are
	}
	return &resource{objectID: objectID(stored.Get(memberID)), id: r.ID(), kind: kind, data: data}
}

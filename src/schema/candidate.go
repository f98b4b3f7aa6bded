package schema

import (
	"cmp"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Candidate is a reference as extraction finds it: the documents it may mean, at least one, and
// exactly one unless the rule says oneOf.
type Candidate struct {
	Rule    *Reference
	Targets []dovetail.Reference
	// Place is the JSON Pointer of the place that is filled, of several with the same targets that of the
	// first; "" for a rule without a slot.
	Place string
}

// References returns the targets of all candidates in their order, those of `oneOf` one after the other.
func References(candidates []Candidate) []dovetail.Reference {
	var all []dovetail.Reference
	for _, c := range candidates {
		all = append(all, c.Targets...)
	}
	return all
}

// Places returns where the data of a document fills slots, by the documents that it refers to there: JSON Pointers, of several places
// that name one document the first. What rules without a slot find has none.
func (k *Kind) Places(id dovetail.ID, data *value.Value) map[dovetail.ID]string {
	places := make(map[dovetail.ID]string)
	for _, c := range k.Extract(id, data) {
		if c.Place == "" {
			continue
		}
		for _, target := range c.Targets {
			places[target.ID] = cmp.Or(places[target.ID], c.Place)
		}
	}
	return places
}

// PreparedKey is a reference as the source document writes it.
type PreparedKey struct {
	Key   map[string]string `json:"key"`
	KeyID string            `json:"keyId"`
	At    string            `json:"at,omitempty"` // with a slot, the JSON Pointer of the place that is filled
}

// Keys returns the candidate's targets as the source document writes them: the key with what fixedKv
// sets. An element of fixedKv that the target's key does not have is shown, though no document can
// have it; the id of the target is without it.
func (c Candidate) Keys() []PreparedKey {
	var keys []PreparedKey
	for _, target := range c.Targets {
		key := target.ID.Key()
		prepared := PreparedKey{Key: make(map[string]string, len(key)), KeyID: key.KeyID(), At: c.Place}
		for _, e := range key {
			prepared.Key[e.Name] = e.Value
		}
		for _, name := range c.Rule.foreign {
			prepared.Key[name] = c.Rule.FixedKv[name]
		}
		keys = append(keys, prepared)
	}
	return keys
}

package dovetail

import "encoding/json"

// Reference points from one document to another. Its key in full is the id's.
type Reference struct {
	ID   ID     // the document referred to
	Kind string // its kind

	// Weak references are recorded but hold nothing: the target may be missing, and may go
	// (`enforce: warn`).
	Weak bool
	// Cascade references do not hold the target back when it is deleted: the referrer goes with it
	// (`onDelete: cascade`).
	Cascade bool
}

type referenceJSON struct {
	Key     Key    `json:"key"`
	KeyID   string `json:"keyId"`
	ID      ID     `json:"id"`
	Kind    string `json:"kind"`
	Weak    bool   `json:"weak,omitempty"`
	Cascade bool   `json:"cascade,omitempty"`
}

// MarshalJSON writes the reference with its key and keyId, as people read them.
func (r Reference) MarshalJSON() ([]byte, error) {
	key := r.ID.Key()
	return json.Marshal(referenceJSON{key, key.KeyID(), r.ID, r.Kind, r.Weak, r.Cascade})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Reference) UnmarshalJSON(text []byte) error {
	var read struct {
		referenceJSON
		Key json.RawMessage `json:"key"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*r = Reference{read.ID, read.Kind, read.Weak, read.Cascade}
	return nil
}

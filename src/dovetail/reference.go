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

// MarshalJSON writes the reference with its key and keyId, as people read them.
func (r Reference) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Reference) UnmarshalJSON(text []byte) error {
	var j struct {
		Key     json.RawMessage `json:"key"`
		ID      ID              `json:"id"`
		Kind    string          `json:"kind"`
		Weak    bool            `json:"weak"`
		Cascade bool            `json:"cascade"`
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*r = Reference{j.ID, j.Kind, j.Weak, j.Cascade}
	return nil
}

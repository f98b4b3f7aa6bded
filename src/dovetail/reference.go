package dovetail

import "encoding/json"

// Reference is a reference from one document to another, the target.
type Reference struct {
	ID   ID     // of the target
	Kind string // of the target

	// Weak references are not enforced: the target may be missing, and may be deleted
	// (`enforce: warn`).
	Weak bool
	// Cascade references do not prevent the deletion of the target: the referrer is deleted, too
	// (`onDelete: cascade`).
	Cascade bool
}

// MarshalJSON writes the reference with its key and keyId.
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

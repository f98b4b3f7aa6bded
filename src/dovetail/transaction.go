package dovetail

// Cursor is a position in the sequence of changes of a store. It is an opaque text of the backend, and stays valid across
// restarts.
type Cursor string

// Effect is the effect of an operation on a document.
type Effect string

// The effects.
const (
	WasCreated   Effect = "created"
	WasUpdated   Effect = "updated"
	WasUnchanged Effect = "unchanged" // the write equals what is stored: no new revision
	WasDeleted   Effect = "deleted"
)

// Values returns all effects.
func (Effect) Values() []string {
	return []string{string(WasCreated), string(WasUpdated), string(WasUnchanged), string(WasDeleted)}
}

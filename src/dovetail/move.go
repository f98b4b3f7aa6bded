package dovetail

// Move gives a document, with all below it, another id.
type Move struct{ From, To ID }

// Of returns what an id becomes: itself where it is neither the moved document nor below it.
func (m Move) Of(id ID) ID {
	if id == m.From || id.IsDescendantOf(m.From) {
		return m.To + id[len(m.From):]
	}
	return id
}

// Inverse is the move back.
func (m Move) Inverse() Move { return Move{m.To, m.From} }

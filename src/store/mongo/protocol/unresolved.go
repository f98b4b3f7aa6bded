package protocol

import "context"

// Unresolved is a transaction of several documents, or a deletion, that has happened, and whose intents are to be taken away.
type Unresolved struct {
	txn *multiTxn
	at  Stamp
}

// maxBackground is up to how many documents a transaction has its intents taken away after its answer: those of larger ones
// would be in the way for long. A transaction whose document lists would not find has them taken away before, too.
const maxBackground = 16

// committed has the intents of the transaction taken away. It has happened at the stamp.
func (m *multiTxn) committed(ctx context.Context, at Stamp) {
	if len(m.locked) > maxBackground || m.otherKind {
		m.resolveIntents(ctx, true, at)
		return
	}
	m.engine.env.SubmitUnresolved(m.engine, &Unresolved{m, at})
}

// Resolve takes the intents of transactions away that have happened, once what they replaced is kept, and closes their
// entries. What it does not come to others do, who meet the intents.
func (e *Engine) Resolve(ctx context.Context, group []*Unresolved) error {
	var versions []*Record
	var changes []Change
	txns := make([]string, len(group))
	for i, c := range group {
		kept, err := e.lockedVersions(ctx, c.txn.replaced, c.txn.locked, c.at)
		if err != nil {
			return err
		}
		versions = append(versions, kept...)
		for _, r := range c.txn.locked {
			changes = append(changes, resolveIntent(r, true, c.at))
		}
		txns[i] = c.txn.txn
	}
	if err := e.keep(ctx, versions); err != nil {
		return err
	}
	n, err := e.server.Apply(ctx, changes)
	switch {
	case err != nil:
		return err
	case n == len(changes):
		return e.server.ResolveEntries(ctx, txns)
	case len(group) == 1:
		return nil // another process rolls it forward
	}
	for i := range group {
		if err := e.Resolve(ctx, group[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

package protocol

import "context"

// Unresolved is a committed multi-document transaction, or a deletion, whose intents are to be removed.
type Unresolved struct {
	txn *multiTxn
	at  Stamp
}

// maxBackground is the maximum number of documents of a transaction whose intents are removed after it is acknowledged: those of
// larger ones would block others for long. If lists would not find a document, its intent is removed before, too.
const maxBackground = 16

// committed removes the intents of the transaction, which committed at the timestamp, or schedules that.
func (m *multiTxn) committed(ctx context.Context, at Stamp) {
	if len(m.locked) > maxBackground || m.otherKind {
		m.resolveIntents(ctx, true, at)
		return
	}
	m.engine.env.SubmitUnresolved(m.engine, &Unresolved{m, at})
}

// Resolve removes the intents of committed transactions, after it has stored the versions that are not stored before the commit, and
// resolves their transaction records. Other processes that encounter the intents, and sweeps, complete what it cannot do.
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
		return nil // another process has rolled some of it forward; a sweep does the rest
	}
	for i := range group {
		if err := e.Resolve(ctx, group[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

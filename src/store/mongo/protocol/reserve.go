package protocol

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Reserve writes pending transaction records in advance, and returns their transactions. Without a heartbeat, other processes abort
// them like any other; one that was aborted cannot be committed.
func (e *Engine) Reserve(ctx context.Context, n int) ([]string, error) {
	txns, entries := make([]string, n), make([]LogEntry, n)
	for i := range txns {
		txns[i] = e.env.NewTxn()
		entries[i] = LogEntry{Txn: txns[i], State: Pending}
	}
	if n == 0 {
		return nil, nil
	}
	return txns, e.server.WriteEntries(ctx, entries)
}

// Release deletes transaction records that were written in advance and not used.
func (e *Engine) Release(ctx context.Context, txns []string) {
	for _, txn := range txns {
		_, _ = e.server.DeleteEntry(ctx, txn, Pending) // the remaining ones are aborted by other processes
	}
}

// writeEntry ensures that the transaction has a record in the log, and sets its id in the intents.
func (m *multiTxn) writeEntry(ctx context.Context) (err error) {
	if m.txn = m.engine.env.TakeEntry(m.engine); m.txn == "" {
		m.txn = m.engine.env.NewTxn()
		err = m.engine.server.WriteEntries(ctx, []LogEntry{{Txn: m.txn, State: Pending}})
	}
	for _, r := range m.inserts {
		r.Intent.Txn = m.txn
	}
	for _, c := range m.updates {
		c.Intent.Txn = m.txn
	}
	return err
}

// reserve has transaction records that were written in advance. While transactions follow one another, it writes a new one for each
// that is requested.
type reserve struct {
	settings Settings
	mutex    sync.Mutex
	free     []reserved
	last     time.Time          // when one was last requested
	writer   background[string] // writes a record for each "", and deletes the others
}

type reserved struct {
	txn string
	at  time.Time
}

// maxReserved is the maximum number of records that are written in advance at a time.
const maxReserved = 64

func (r *reserve) start(settings Settings) {
	r.settings = settings
	r.writer.start(settings, 0, r.write)
}

// take returns the transaction of a record that was written in advance, "" if there is none. It discards old ones well before other
// processes abort them.
func (r *reserve) take(e *Engine) (txn string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now, fresh := r.settings.Clock.Now(), r.settings.Lease/8
	for txn == "" && len(r.free) > 0 {
		if first := r.free[0]; now.Sub(first.at) < fresh {
			txn = first.txn
		} else {
			r.writer.submit(e, first.txn)
		}
		r.free = r.free[1:]
	}
	if now.Sub(r.last) < fresh {
		r.writer.submit(e, "")
	}
	r.last = now
	return txn
}

func (r *reserve) write(ctx context.Context, e *Engine, group []string) error {
	stale := slices.DeleteFunc(slices.Clone(group), func(txn string) bool { return txn == "" })
	e.Release(ctx, stale)
	at := r.settings.Clock.Now()
	txns, err := e.Reserve(ctx, min(len(group)-len(stale), maxReserved))
	if err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, txn := range txns {
		r.free = append(r.free, reserved{txn, at})
	}
	return nil
}

// close deletes the unused records.
func (r *reserve) close(ctx context.Context, e *Engine) {
	r.writer.flush()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, left := range r.free {
		e.Release(ctx, []string{left.txn})
	}
	r.free = nil
}

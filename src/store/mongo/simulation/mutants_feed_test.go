package simulation

import (
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// looksOnce shows what it has read first, again and again.
type looksOnce struct {
	*Client
	records []*protocol.Record
	entries []protocol.LogEntry
	looked  bool
}

func (d *looksOnce) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	if !d.looked {
		for r, err := range d.Client.Changed(ctx, since) {
			if err != nil {
				return replay(d.records, err)
			}
			d.records = append(d.records, r)
		}
	}
	return replay(d.records, nil)
}

func (d *looksOnce) Log(ctx context.Context, since protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	if !d.looked {
		for entry, err := range d.Client.Log(ctx, since) {
			if err != nil {
				return replay(d.entries, err)
			}
			d.entries = append(d.entries, entry)
		}
		d.looked = true
	}
	return replay(d.entries, nil)
}

func replay[T any](items []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// findsFirst shows every document that is there at its first revision.
type findsFirst struct{ *Client }

func (d findsFirst) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	records, err := d.Client.Find(ctx, ids, all)
	for id, r := range records {
		if first := *r; r.Doc != nil {
			first.Doc = r.Doc.Clone()
			first.Doc.Revision = 1
			records[id] = &first
		}
	}
	return records, err
}

// knowsNoLaterDeletion shows no log to who has looked for documents and asks what became of those that are gone.
type knowsNoLaterDeletion struct {
	*Client
	looked bool
}

func (d *knowsNoLaterDeletion) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	d.looked = true
	return d.Client.Find(ctx, ids, all)
}

func (d *knowsNoLaterDeletion) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	d.looked = false
	return d.Client.Changed(ctx, since)
}

func (d *knowsNoLaterDeletion) Log(ctx context.Context, since protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	if d.looked {
		return func(func(protocol.LogEntry, error) bool) {}
	}
	return d.Client.Log(ctx, since)
}

// goesBackNowhere reads only what is stamped after what it has seen of documents, or of the log: as polls would that never went back all
// the way.
type goesBackNowhere struct {
	*Client
	ofLog bool
	high  protocol.Stamp
}

func (d *goesBackNowhere) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	if !d.ofLog {
		since = d.from(since)
	}
	return func(yield func(*protocol.Record, error) bool) {
		for r, err := range d.Client.Changed(ctx, since) {
			if err == nil && d.high.Before(r.Stamp) {
				d.high = r.Stamp
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (d *goesBackNowhere) Log(ctx context.Context, since protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	if d.ofLog {
		since = d.from(since)
	}
	return d.Client.Log(ctx, since)
}

func (d *goesBackNowhere) from(since protocol.Stamp) protocol.Stamp {
	if since.Before(d.high) {
		return d.high
	}
	return since
}

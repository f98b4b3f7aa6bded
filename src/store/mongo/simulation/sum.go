package simulation

import (
	"hash/maphash"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Sums tell states apart, without keeping them. Of stamps only their order counts where no feed reads the changes:
// the protocol for writes reads no more of them, and with them no two ways would lead to the same state.

var seed = maphash.MakeSeed()

func sumString(text string) uint64 { return maphash.String(seed, text) }

func sumBool(b bool) uint64 {
	if b {
		return 0x9e3779b97f4a7c15
	}
	return 0xc2b2ae3d27d4eb4f
}

// mix adds a sum to one in which the order counts. Also one of zero changes it: a step that learned nothing is a step.
func mix(sum, next uint64) uint64 {
	sum = (sum + 0x9e3779b97f4a7c15 ^ next) * 0xff51afd7ed558ccd
	return sum ^ sum>>32
}

func sumIDs(ids []dovetail.ID) uint64 {
	var all uint64
	for _, id := range ids {
		all += sumString(string(id))
	}
	return all
}

func sumDocument(doc *dovetail.Document) uint64 {
	if doc == nil {
		return 1
	}
	sum := mix(sumString(string(doc.ID)), sumString(doc.UID))
	sum = mix(sum, doc.Revision)
	for _, r := range doc.References {
		sum = mix(sum, mix(sumString(string(r.ID)), sumBool(r.Weak)))
	}
	for _, term := range doc.Terms {
		sum = mix(sum, sumString(term))
	}
	return sum
}

func sumStamp(stamp protocol.Stamp) uint64 { return uint64(stamp.Seconds)<<32 | uint64(stamp.Count) }

func (s *Server) sumRecord(r *protocol.Record) uint64 {
	if r == nil {
		return 2
	}
	sum := mix(sumString(string(r.ID)), sumDocument(r.Doc))
	sum = mix(sum, sumIDs(r.Strong))
	sum = mix(sum, sumIDs(r.Weak))
	sum = mix(sum, mix(sumString(r.Txn), sumBool(r.Moved)))
	if m := r.Intent; m != nil {
		sum = mix(sum, sumString(m.Txn))
		sum = mix(sum, sumString(string(m.Op)))
		sum = mix(sum, mix(sumBool(m.Multi), mix(sumBool(m.LockOnly), mix(sumBool(m.Exclusive), sumBool(m.Implicit)))))
		sum = mix(sum, sumDocument(m.Next))
		if m.Prev != nil {
			sum = mix(sum, s.sumRecord(m.Prev))
		}
	}
	if s.followed {
		return mix(sum, mix(sumStamp(r.Stamp), mix(sumStamp(r.Since), sumStamp(r.Created))))
	}
	return mix(sum, s.rank(r))
}

// rank is how many documents were written last before a record was: writers compare no more of stamps than that.
func (s *Server) rank(r *protocol.Record) (rank uint64) {
	at := r.Committed()
	for _, other := range s.records {
		if other.Committed().Before(at) {
			rank++
		}
	}
	if s.taken.Before(at) {
		rank += 1 << 32
	}
	return rank
}

func (s *Server) sumEntry(entry protocol.LogEntry) uint64 {
	sum := mix(mix(sumString(entry.Txn), sumString(string(entry.State))), uint64(entry.Heartbeats))
	sum = mix(sum, sumString(entry.Fence))
	if s.followed {
		sum = mix(sum, sumStamp(entry.Stamp))
	}
	return sum
}

func (s *Server) learn(sum uint64) { s.learned = mix(s.learned, sum) }

// sum is that of the whole state.
func (s *Server) sum() uint64 {
	var all uint64
	if s.followed {
		all = sumStamp(s.taken)
	}
	if s.over {
		all += sumBool(s.over)
	}
	if s.underway != nil {
		all += mix(5, uint64(s.passed))
	}
	if s.registry.Level > 0 {
		all += mix(sumRegistry(s.registry), uint64(s.registry.Changes))
	}
	for _, r := range s.records {
		all += s.sumRecord(r)
	}
	for _, entry := range s.entries {
		all += s.sumEntry(entry) * 3
	}
	for _, v := range s.kept {
		all += mix(s.sumRecord(v), sumBool(v.Gone)) * 5
	}
	return all
}

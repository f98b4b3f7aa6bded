package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ReasonAborted is the reason of CodeConflict for a transaction whose idempotency key was given up; see Store.Abort.
const ReasonAborted = "ABORTED"

func aborted() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonAborted, Message: "the transaction with this idempotency key was aborted; nothing was changed",
		Remedy: "use a new key for a new request"}
}

// ResultByIdempotencyKey returns the result of the transaction that the principal of the context sent with an idempotency key, as
// Apply returned it. CodeNotFound means that there is no such transaction: it is not committed yet, was refused, or its
// record has expired (PurgeIdempotencyRecords). CodeConflict with ReasonAborted means that it was aborted and cannot be committed.
func (s *Store) ResultByIdempotencyKey(ctx context.Context, key string) (*Result, error) {
	may := s.permissions(ctx)
	record, err := s.idempotencyRecord(ctx, ownerOf(may, nameOf(ctx)), key)
	switch {
	case err != nil:
		return nil, err
	case record == nil:
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "no transaction with this idempotency key is committed",
			Remedy: "repeat the request with this key, or abort it"}
	}
	result, err := record.result()
	return s.viewOf(may).result(result), err
}

// Abort makes sure that no transaction that the principal of the context sent with an idempotency key is committed from now
// on, also if it is under way: for a client that does not know what became of it. Where one is committed already, it
// returns what that did; nil otherwise.
func (s *Store) Abort(ctx context.Context, key string) (*Result, error) {
	s.swapping.RLock()
	defer s.swapping.RUnlock()
	for {
		done, err := s.ResultByIdempotencyKey(ctx, key)
		switch {
		case isAborted(err):
			return nil, nil
		case dovetail.CodeOf(err) != dovetail.CodeNotFound:
			return done, err
		}
		data, err := json.Marshal(idempotencyRecord{Aborted: true})
		if err != nil {
			return nil, dovetail.AsError(err)
		}
		owner, now := ownerOf(s.permissions(ctx), nameOf(ctx)), s.config.Clock()
		id := idempotencyID(owner, key)
		err = s.backend.Commit(ctx, Txn{
			Require: []Condition{{Test: Absent, ID: id}},
			Puts:    []*dovetail.Document{s.idempotencyDocument(id, data, now, s.Model())},
		})
		if failedConditions(err) == nil { // otherwise the transaction, or another Abort, came first
			return nil, err
		}
	}
}

func isAborted(err error) bool { return err != nil && dovetail.AsError(err).Reason == ReasonAborted }

// maxPlainRecord is up to how many bytes outcomes are recorded as they are. Backends bound the size of a document, not the
// number of operations in a transaction.
const maxPlainRecord = 64 << 10

// pack compresses the outcomes where they are many.
func (r *idempotencyRecord) pack() error {
	text, err := json.Marshal([2][]recordedOutcome{r.Outcomes, r.Cascaded})
	if err != nil || len(text) <= maxPlainRecord {
		return err
	}
	r.Outcomes, r.Cascaded = nil, nil
	r.Packed, err = compress(text)
	return err
}

func compress(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

func decompress(packed []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, unreadableRecord(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, unreadableRecord(err)
	}
	return text, nil
}

// result is what the transaction did.
func (r *idempotencyRecord) result() (*Result, error) {
	if r.Aborted {
		return nil, aborted()
	}
	if r.Packed != nil {
		text, err := decompress(r.Packed)
		if err != nil {
			return nil, err
		}
		var lists [2][]recordedOutcome
		if err := json.Unmarshal(text, &lists); err != nil {
			return nil, unreadableRecord(err)
		}
		r.Outcomes, r.Cascaded = lists[0], lists[1]
	}
	result := &Result{Outcomes: replayed(r.Outcomes), Cascaded: replayed(r.Cascaded), References: r.Rewrote, Repeated: true}
	if r.Answer == nil {
		return result, nil
	}
	var err error
	result.Answer, err = decompress(r.Answer)
	return result, err
}

func unreadableRecord(err error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the record of an idempotency key cannot be read", Err: err}
}

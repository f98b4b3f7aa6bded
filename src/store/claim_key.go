package store

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ClaimKeyKind is the kind of the store's own document with the key from which the ids of claims on sensitive data are made.
// It is to be encrypted as such data is.
const ClaimKeyKind = "_claimKey"

// storedClaimKey is the data of the document.
type storedClaimKey struct {
	Key []byte `json:"key"`
}

const claimKeyID = dovetail.ID(ClaimKeyKind + "/current")

// claimKey returns the key of this database, and makes it if there is none.
func (s *Store) claimKey(ctx context.Context) ([]byte, error) {
	if key := s.secret.Load(); key != nil {
		return *key, nil
	}
	const size = 32
	var key []byte
	err := Transact(ctx, func() error {
		found, err := s.fetch(ctx, []dovetail.ID{claimKeyID})
		if err != nil {
			return err
		}
		if found[0] != nil {
			key, err = readClaimKey(found[0])
			return err
		}
		key = make([]byte, size)
		_, _ = rand.Read(key) // never fails
		data, err := json.Marshal(storedClaimKey{key})
		if err != nil {
			return dovetail.AsError(err)
		}
		now := s.now()
		doc := &dovetail.Document{ID: claimKeyID, Kind: ClaimKeyKind, Data: data, UID: s.config.NewUID(), Revision: 1, Created: now, Updated: now}
		err = s.backend.Commit(ctx, Txn{Require: []Condition{{Test: Absent, ID: claimKeyID}}, Puts: []*dovetail.Document{doc}})
		if failedConditions(err) != nil {
			return Retry(err) // another process made it
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.secret.Store(&key)
	return key, nil
}

func readClaimKey(doc *dovetail.Document) ([]byte, error) {
	var stored storedClaimKey
	if err := json.Unmarshal(doc.Data, &stored); err != nil || len(stored.Key) == 0 {
		return nil, dovetail.UnreadableData(doc.ID, err)
	}
	return stored.Key, nil
}

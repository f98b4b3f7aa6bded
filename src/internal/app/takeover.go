package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/layering"
	recorded "github.com/dovetail-store/dovetail/src/layering/history"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
)

// TakeOver returns the documents that hold a history of layered documents in a store, for the command line; see layering.TakeOver.
// A data key that secrets need is among them.
func TakeOver(ctx context.Context, st cli.Store, h *recorded.History, keyFile string) ([]*dovetail.Document, error) {
	model, err := st.Model(ctx)
	if err != nil {
		return nil, err
	}
	var kinds []string // of documents
	for _, name := range append(slices.Clone(layering.Kinds), keyring.Element) {
		kind, known := model.Kind(name)
		if !known {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the ref-schema of the target has no kind " + name,
				Remedy: "start with the ref-schemas of the layering service and of data keys"}
		}
		if !kind.Abstract {
			kinds = append(kinds, name)
		}
	}
	o := layering.Options{Profile: rendering.ProfileDeckhand}
	if keyFile != "" {
		keys, err := envelope.ReadKeyFile(keyFile)
		if err != nil {
			return nil, err
		}
		o.Keys = keys
	}
	copied, err := copyOf(ctx, st, kinds)
	if err != nil {
		return nil, err
	}
	documents, err := layering.New(copied, o).TakeOver(ctx, h)
	if err != nil || len(documents) == 0 {
		return nil, err
	}
	documents = append(documents, copied.made...)
	slices.SortFunc(documents, func(a, b *dovetail.Document) int { return cmp.Compare(a.ID, b.ID) })
	for _, doc := range documents {
		doc.Schema = model.Hash()
	}
	return documents, nil
}

// memoryStore is what a store holds of some kinds, in memory. What is created in it stays there.
type memoryStore struct {
	documents map[dovetail.ID]*dovetail.Document
	made      []*dovetail.Document
}

func copyOf(ctx context.Context, st cli.Store, kinds []string) (*memoryStore, error) {
	m := &memoryStore{documents: make(map[dovetail.ID]*dovetail.Document)}
	for _, kind := range kinds {
		for doc, err := range st.Documents(ctx, store.ListQuery{Kind: kind}) {
			if err != nil {
				return nil, err
			}
			m.documents[doc.ID] = doc
		}
	}
	return m, nil
}

// Get, GetAll, List and Documents are as those of store.Store, without selectors and pages.
func (m *memoryStore) Get(_ context.Context, id dovetail.ID) (*dovetail.Document, error) {
	if doc := m.documents[id]; doc != nil {
		return doc, nil
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
}

func (m *memoryStore) GetAll(_ context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	documents := make([]*dovetail.Document, len(ids))
	for i, id := range ids {
		documents[i] = m.documents[id]
	}
	return documents, nil
}

func (m *memoryStore) List(_ context.Context, q store.ListQuery) (*store.Page, error) {
	page := &store.Page{}
	for id, doc := range m.documents {
		if doc.Kind == q.Kind && (q.Under == "" || strings.HasPrefix(string(id), string(q.Under)+"/")) && id > q.After {
			page.Documents = append(page.Documents, doc)
		}
	}
	slices.SortFunc(page.Documents, func(a, b *dovetail.Document) int { return cmp.Compare(a.ID, b.ID) })
	return page, nil
}

func (m *memoryStore) Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		page, _ := m.List(ctx, q)
		for _, doc := range page.Documents {
			if !yield(doc, nil) {
				return
			}
		}
	}
}

// Replay finds nothing: the copy has no idempotency keys.
func (m *memoryStore) Replay(context.Context, []store.Operation, store.Options) (*store.Result, error) {
	return nil, nil
}

// Apply creates documents.
func (m *memoryStore) Apply(_ context.Context, operations []store.Operation, _ store.Options) (*store.Result, error) {
	for _, op := range operations {
		uid := make([]byte, 12)
		if _, err := rand.Read(uid); err != nil {
			return nil, err
		}
		key, now := op.ID.Key(), time.Now().UTC()
		doc := &dovetail.Document{ID: op.ID, Kind: key[len(key)-1].Name, Data: op.Data.JSON(), UID: hex.EncodeToString(uid), Revision: 1, Created: now, Updated: now}
		m.documents[op.ID] = doc
		m.made = append(m.made, doc)
	}
	return &store.Result{}, nil
}

// Referrers are none: nothing is deleted.
func (m *memoryStore) Referrers(context.Context, dovetail.ID, dovetail.ID, int) ([]dovetail.ID, error) {
	return nil, nil
}

// Allowed, Readable, ReadsAll and DeletesAll say that everything may be done: what the caller may do was decided where the copy came from, and will
// be where it is imported.
func (m *memoryStore) Allowed(context.Context, dovetail.Right, dovetail.ID) (bool, error) {
	return true, nil
}

func (m *memoryStore) Readable(context.Context) func(string, dovetail.ID) bool { return nil }

func (m *memoryStore) ReadsAll(context.Context, ...string) bool { return true }

func (m *memoryStore) DeletesAll(context.Context, ...string) bool { return true }

package httpapi

import (
	"iter"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/store"
)

// viewHistory answers what happened to a document, newest first.
func (x *requestContext) viewHistory(p parameters) error {
	scope := x.scopeOf(viewHistory)
	limit, err := p.pageSize()
	if err != nil {
		return err
	}
	var last pageToken // of the page before
	if text := p.text("continue"); text != "" {
		if last, err = decodeToken(scope, text); err != nil {
			return err
		}
	}
	items, more := []store.VersionSummary{}, false
	for v, err := range store.Summarize(before(x.store.History(x.ctx, x.resource), last.Position)) {
		if err != nil {
			return err
		}
		if more = len(items) == limit; more {
			break
		}
		items = append(items, v)
	}
	text := append([]byte(`{"items":`), encodeJSON(items)...)
	token := ""
	if more {
		token = encodeToken(scope, pageToken{After: x.resource, Position: items[len(items)-1].Position})
	}
	return x.answerPage(p, text, token, limit)
}

// before leaves out the versions up to the one of a position, "" if there is none.
func before(versions iter.Seq2[store.Version, error], position store.Cursor) iter.Seq2[store.Version, error] {
	return func(yield func(store.Version, error) bool) {
		skipping := position != ""
		for v, err := range versions {
			if skipping && err == nil {
				skipping = v.Cursor != position
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// transaction is a transaction as it is shown.
type transaction struct {
	Position store.Cursor `json:"position"`
	Time     time.Time    `json:"time"`
	store.Provenance
	Changes []transactionChange `json:"changes"`
}

type transactionChange struct {
	Op      store.Op    `json:"op"`
	ID      dovetail.ID `json:"id"`
	Kind    string      `json:"kind"`
	Version string      `json:"version"`
}

func transactionOf(set store.Transaction) transaction {
	t := transaction{Position: set.Cursor, Time: set.Time, Provenance: set.Provenance, Changes: []transactionChange{}}
	for _, c := range set.Changes {
		t.Changes = append(t.Changes, transactionChange{c.Op, c.ID, c.Kind, dovetail.ETag{UID: c.UID, Revision: c.Revision}.Version()})
	}
	return t
}

// listTransactions answers what was written, newest first.
func listTransactions(x *requestContext) error {
	p, err := x.parameters("id", "under", "kind", "principal", "from", "to", "limit", "before")
	if err != nil {
		return err
	}
	q := store.TransactionQuery{Kind: p.text("kind"), Principal: p.text("principal"), Before: store.Cursor(p.text("before"))}
	for name, id := range map[string]*dovetail.ID{"id": &q.ID, "under": &q.Under} {
		if p.has(name) {
			if *id, err = dovetail.ParseID(p.text(name)); err != nil {
				return err
			}
		}
	}
	if err := x.checkKind(q.Kind); err != nil {
		return err
	}
	if q.From, err = p.time("from"); err != nil {
		return err
	}
	if q.To, err = p.time("to"); err != nil {
		return err
	}
	if q.Limit, err = p.pageSize(); err != nil {
		return err
	}
	page, err := x.store.Transactions(x.ctx, q)
	if err != nil {
		return err
	}
	answer := struct {
		Items  []transaction `json:"items"`
		Before store.Cursor  `json:"before,omitempty"`
	}{Items: []transaction{}, Before: page.Next}
	for _, set := range page.Transactions {
		answer.Items = append(answer.Items, transactionOf(set))
	}
	return x.answer(http.StatusOK, encodeJSON(answer))
}

func getTransaction(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	position, err := x.position()
	if err != nil {
		return err
	}
	set, err := x.store.Transaction(x.ctx, position)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(transactionOf(set)))
}

// position is that of the path.
func (x *requestContext) position() (store.Cursor, error) {
	variables, err := x.variables()
	return store.Cursor(variables["position"]), err
}

// postRevert undoes a transaction.
func postRevert(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	position, err := x.position()
	if err != nil {
		return err
	}
	return x.answerWritten(func(options store.Options) (*store.Result, error) {
		return x.store.Revert(x.ctx, position, options)
	})
}

// postRollback gives a document an earlier version.
func postRollback(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	var id, to string
	err := x.readMembers(func(body decode.Field) {
		id, to = body.Get("id").Text(), body.Get("version").OptionalText()
	}, "id", "version")
	if err != nil {
		return err
	}
	if _, err := dovetail.ParseID(id); err != nil {
		return err
	}
	return x.answerWritten(func(options store.Options) (*store.Result, error) {
		return x.store.Rollback(x.ctx, dovetail.ID(id), to, options)
	})
}

// postRename gives a document and all below it another id.
func postRename(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	var id, to string
	err := x.readMembers(func(body decode.Field) {
		id, to = body.Get("id").Text(), body.Get("to").Text()
	}, "id", "to")
	if err != nil {
		return err
	}
	for _, text := range []string{id, to} {
		if _, err := dovetail.ParseID(text); err != nil {
			return err
		}
	}
	return x.answerWritten(func(options store.Options) (*store.Result, error) {
		return x.store.Rename(x.ctx, dovetail.ID(id), dovetail.ID(to), options)
	})
}

// readMembers reads the body, an object of which these are the members.
func (x *requestContext) readMembers(read func(decode.Field), members ...string) error {
	body, err := x.readOne()
	if err != nil {
		return err
	}
	return decode.Body(body, read, members...)
}

// answerWritten writes and answers what that did, or would do, and then also what the documents would be.
func (x *requestContext) answerWritten(write func(store.Options) (*store.Result, error)) error {
	result, err := x.written(write)
	if err != nil {
		return err
	}
	answer := x.batchResults(result)
	for i, o := range result.Outcomes {
		if x.dryRun && o.Effect != store.WasDeleted && len(o.Document.Data) > 0 {
			answer.Results[i].Document = o.Document
		}
	}
	return x.answer(http.StatusOK, encodeJSON(answer))
}

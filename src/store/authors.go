package store

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// AuthorMember is the member of a status that has the author of what a document asks for, of kinds of Config.Author. Only changes of the data change it:
// whoever renames a document, merges what others have staged, or brings an earlier version back, does not become its author, and no service takes it away.
const AuthorMember = "author"

// AuthorOf returns the author of what a document asks for, "" if there is none: who writes it, or still the author of before if it asks for the same.
// before is nil for a new document. What it returns depends on its arguments only.
type AuthorOf func(writer, author string, before, after *value.Value) string

// setAuthor gives the next version of a document its author.
func (p *plan) setAuthor(i int, st *step, next *dovetail.Document) {
	of := p.store.config.Author[st.kind.Name]
	if of == nil || st.op.restore != nil || st.op.renamed && st.current == nil {
		return // it has the status that it had
	}
	author, err := authorIn(st.current)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return
	}
	if !st.op.renamed {
		var before *value.Value
		if st.current != nil {
			if before = p.stored(i, st); st.invalid {
				return
			}
		}
		writer := p.author
		if st.op.author != nil {
			writer = *st.op.author
		}
		author = of(writer, author, before, st.data)
	}
	next.Status = p.withMember(i, st, next.Status, AuthorMember, textOrNone(author))
}

// standingAuthor returns the status that a document gets which a service writes: with the author and the actor that it had.
func (p *plan) standingAuthor(i int, st *step, written json.RawMessage) json.RawMessage {
	if p.store.config.Author[st.kind.Name] != nil {
		author, err := authorIn(st.current)
		if err != nil {
			p.fail(i, dovetail.AsError(err))
			return written
		}
		written = p.withMember(i, st, written, AuthorMember, textOrNone(author))
	}
	if p.store.config.OnBehalf[st.kind.Name] != nil {
		written = p.withMember(i, st, written, ActorMember, actorValue(ActorOf(st.current)))
	}
	return written
}

// textOrNone returns a text as a value, nil for "".
func textOrNone(text string) *value.Value {
	if text == "" {
		return nil
	}
	return value.NewString(text)
}

// withMember returns a status with a member, or without it if v is nil; a status that has no other member is none then.
func (p *plan) withMember(i int, st *step, text json.RawMessage, name string, v *value.Value) json.RawMessage {
	status, err := statusFor(&dovetail.Document{ID: st.op.ID, Status: text})
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return text
	}
	switch had := status.Get(name); {
	case v != nil:
		status.Set(name, v)
	case had == nil:
		return text
	default:
		status.Delete(name)
	}
	if len(status.Members) == 0 {
		return nil
	}
	return status.JSON()
}

// authorIn returns the author that the status of a document has, "" if there is none.
func authorIn(doc *dovetail.Document) (string, error) {
	status, err := statusFor(doc)
	if err != nil {
		return "", err
	}
	author, _ := status.Get(AuthorMember).Str()
	return author, nil
}

// MaxAuthors is of how many documents Authors may be asked at once.
const MaxAuthors = 100

// Author is who made the version of a document that is stored.
type Author struct {
	ID        dovetail.ID `json:"id"`
	Version   string      `json:"version"`
	Principal string      `json:"principal,omitempty"` // "" where the store did not know who asked, or the history does not reach back
}

// Authors returns who changed some documents last, in their order, without reading the documents. It leaves out those that do not
// exist, and those that the principal may not read.
func (s *Store) Authors(ctx context.Context, ids []dovetail.ID) ([]Author, error) {
	v := s.view(ctx)
	readable := slices.DeleteFunc(slices.Clone(ids), func(id dovetail.ID) bool { return isInternal(id) || !v.readsID(id) })
	versions, err := s.backend.CurrentVersions(ctx, readable)
	if err != nil {
		return nil, err
	}
	authors := []Author{}
	for _, version := range versions {
		if version != nil {
			authors = append(authors, Author{version.ID, dovetail.ETag{UID: version.UID, Revision: version.Revision}.Version(), version.Principal})
		}
	}
	return authors, nil
}

package layering

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
)

// A principal that reads a revision needs the right to read it, and gets the documents of it that it may read. It gets a
// rendered document if it may read all documents that this one depends on (view.go). To put a bucket it needs rights on the
// documents of the bucket that change; the service itself writes index, head and archive (change.go), and errors reveal
// only what the principal may read (check.go).

// ClassUnreadableConflict is the class of the error when documents conflict with others that the principal may not read.
// The error reveals nothing else.
const ClassUnreadableConflict = "UnreadableDocumentConflict"

// own is the context of what the service reads by itself.
func own(ctx context.Context) context.Context {
	return dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
}

// scope is what the principal of a context may read.
type scope struct {
	may     func(kind string, id dovetail.ID) bool // nil for every layered document and every secret
	secrets bool                                   // whether the principal may read the data keys, and so the secrets
	use     func(entry) bool                       // whether the principal may use the document of an entry
}

func (r *Revisions) scope(ctx context.Context) scope {
	may := r.store.Readable(ctx)
	if may != nil && r.store.ReadsAll(ctx, elementDocument, keyring.Element) {
		may = nil
	}
	return scope{may: may, secrets: may == nil || may(keyring.Element, root.Child(keyring.Element, "k1")), use: func(e entry) bool {
		may, err := r.store.Allowed(ctx, dovetail.RightUse, placeOf(e))
		return err == nil && may
	}}
}

// limited reports whether there may be documents, or secrets, that the principal may not read.
func (sc scope) limited() bool { return sc.may != nil }

// reads reports whether the principal may read the document of an entry, as it was put.
func (sc scope) reads(e entry) bool { return sc.may == nil || sc.may(elementDocument, placeOf(e)) }

// knows reports whether the principal may have the content of a document: what is encrypted may be read without being known.
func (sc scope) knows(e entry, d *rendering.Document) bool {
	return sc.reads(e) && (sc.secrets || !d.Encrypted)
}

// standIn is what stands for an encrypted document that the principal may use, and does not know.
func (sc scope) standIn(e entry, d *rendering.Document) (*rendering.Document, bool) {
	if sc.knows(e, d) || !d.Encrypted || !sc.use(e) {
		return nil, false
	}
	return d.StandIn()
}

// takes reports whether the principal may make documents of one: it knows it, or may use it.
func (sc scope) takes(e entry, d *rendering.Document) bool {
	_, used := sc.standIn(e, d)
	return used || sc.knows(e, d)
}

// visible is a revision with the documents that the principal may read.
func (sc scope) visible(of *Revision) *Revision {
	if !sc.limited() {
		return of
	}
	shown := *of
	shown.index = make(index)
	for id, e := range of.index {
		if sc.reads(e) {
			shown.index[id] = e
		}
	}
	return &shown
}

// maySeeSecrets returns CodeForbidden unless the principal may read data keys.
func (sc scope) maySeeSecrets() error {
	if sc.secrets {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeForbidden, Message: "secrets are shown only to principals that may read data keys", Remedy: "ask for the right to read the kind " + keyring.Element}
}

// mayChange returns CodeForbidden unless the principal of the context has the rights on all documents of a change. It names
// those that the principal may read, or gave itself.
func (r *Revisions) mayChange(ctx context.Context, sc scope, c *change, dryRun bool) error {
	known, unknown := c.needs, []store.Need(nil)
	if sc.limited() {
		known = slices.DeleteFunc(slices.Clone(c.needs), func(n store.Need) bool {
			hidden := !c.given[n.ID] && !sc.may(elementDocument, n.ID)
			if hidden {
				unknown = append(unknown, n)
			}
			return hidden
		})
	}
	if err := r.needs(ctx, known, dryRun); err != nil {
		return err
	}
	err := r.needs(ctx, unknown, dryRun)
	if dovetail.CodeOf(err) == dovetail.CodeForbidden {
		return notAllYours()
	}
	return err
}

// needs returns CodeForbidden unless the principal of the context has all of the rights.
func (r *Revisions) needs(ctx context.Context, all []store.Need, dryRun bool) error {
	if len(all) == 0 {
		return nil
	}
	_, err := r.store.Apply(ctx, nil, store.Options{DryRun: dryRun, Needs: all})
	return err
}

func notAllYours() error {
	return &dovetail.Error{Code: dovetail.CodeForbidden, Message: "you may not change all documents that this would change",
		Remedy: "ask for the rights to read, create, update and delete the documents of the bucket"}
}

// mayPut returns CodeForbidden where what the principal wants acts on documents everywhere, and there may be some that it
// may not read: with the answers it could find out what these hold.
func (sc scope) mayPut(o PutOptions) error {
	if !sc.limited() || !o.StructureOnly {
		return nil
	}
	return everywhere("leaving checks to rendering")
}

// controls is mayPut for the schemas and policies that a change would put or take away.
func (sc scope) controls(c *change) error {
	if !sc.limited() {
		return nil
	}
	for _, e := range c.put {
		if actsEverywhere(e) {
			return everywhere("changing a " + e.id.Schema)
		}
	}
	for _, e := range c.left {
		if actsEverywhere(e) {
			if !sc.reads(e) {
				return notAllYours()
			}
			return everywhere("changing a " + e.id.Schema)
		}
	}
	return nil
}

func actsEverywhere(e entry) bool {
	return e.id.Schema == rendering.PolicySchema || e.id.Schema == rendering.DataSchemaSchema
}

func everywhere(what string) error {
	return &dovetail.Error{Code: dovetail.CodeForbidden, Message: what + " takes the right to read every layered document, and secrets", Remedy: "ask who has it to do it"}
}

// mayDeleteAll returns CodeForbidden unless the principal of the context may delete revisions, of which there may be none.
func (r *Revisions) mayDeleteAll(ctx context.Context) error {
	may, err := r.store.Allowed(ctx, dovetail.RightDelete, revisionID(1))
	if err == nil && !may {
		err = mayNotDeleteAll()
	}
	return err
}

func mayNotDeleteAll() error {
	return &dovetail.Error{Code: dovetail.CodeForbidden, Message: "to delete all revisions takes the right to delete every document of layering",
		Remedy: "ask for the right to delete the kind " + elementRevision + " and the others of layering"}
}

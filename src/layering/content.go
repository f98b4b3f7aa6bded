package layering

import (
	"context"
	"crypto/sha256"
	"encoding/base64"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// memberText is the member of stored data that holds a document in plaintext.
const memberText = "document"

// nameOf names the content of a document. Equal content in plaintext has equal names. That of an encrypted document
// gets a name at random: a digest would tell who guesses a secret that the guess is right.
func (r *Revisions) nameOf(d *rendering.Document) string {
	if d.Encrypted {
		return "s-" + r.options.NewName()
	}
	sum := sha256.Sum256(d.Value().JSON())
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// text returns the members of stored data that hold a document: in plaintext, or sealed with a key, whose name is
// returned too.
func (r *Revisions) text(ctx context.Context, content string, d *rendering.Document) (member value.Member, key string, err error) {
	if !d.Encrypted {
		return value.Member{Name: memberText, Value: d.Value()}, "", nil
	}
	sealed, key, err := r.keyring.Seal(own(ctx), d.Value().JSON(), content)
	return value.Member{Name: keyring.MemberSealed, Value: value.NewString(sealed)}, key, err
}

// document reads the document that stored data holds.
func (r *Revisions) document(ctx context.Context, content string, id dovetail.ID, data *value.Value) (*rendering.Document, error) {
	v := data.Get(memberText)
	if v == nil {
		text, err := r.keyring.Open(own(ctx), textOf(data.Get(keyring.MemberSealed)), textOf(data.At("spec", keyring.Element)), content)
		if err != nil {
			return nil, err
		}
		if v, err = value.ParseStored(text, nil); err != nil {
			return nil, dovetail.UnreadableData(id, err)
		}
	}
	d, err := rendering.Restore(v)
	if err != nil {
		return nil, dovetail.UnreadableData(id, err)
	}
	return d, nil
}

// contents returns the documents of an index by the name of their content. What is not known already is read: from the
// documents of the newest revision, or, where those say something else by now, from what is kept of older
// ones. Content never changes, so it does not matter that both are read one after the other.
func (r *Revisions) contents(ctx context.Context, x index) (map[string]*rendering.Document, error) {
	found := make(map[string]*rendering.Document, len(x))
	var wanted []entry
	for _, e := range x {
		if d := r.cache.document(e.content); d != nil {
			found[e.content] = d
		} else {
			wanted = append(wanted, e)
		}
	}
	for _, at := range []func(entry) dovetail.ID{placeOf, func(e entry) dovetail.ID { return contentID(e.content) }} {
		if len(wanted) == 0 {
			break
		}
		left, err := r.readContents(ctx, wanted, at, found)
		if err != nil {
			return nil, err
		}
		wanted = left
	}
	if len(wanted) > 0 {
		return nil, dovetail.UnreadableData(contentID(wanted[0].content), nil)
	}
	return found, nil
}

// readContents reads the contents of entries at one place, and returns the entries whose content is not there.
func (r *Revisions) readContents(ctx context.Context, wanted []entry, at func(entry) dovetail.ID, found map[string]*rendering.Document) ([]entry, error) {
	ids := make([]dovetail.ID, len(wanted))
	for i, e := range wanted {
		ids[i] = at(e)
	}
	docs, err := r.store.GetAll(own(ctx), ids)
	if err != nil {
		return nil, err
	}
	var left []entry
	for i, e := range wanted {
		if docs[i] == nil {
			left = append(left, e)
			continue
		}
		data, err := value.DataOf(docs[i], nil)
		if err != nil {
			return nil, err
		}
		if name, is := data.At("spec", keyring.MemberContent).Str(); !is || name != e.content {
			left = append(left, e)
			continue
		}
		d, err := r.document(ctx, e.content, docs[i].ID, data)
		if err != nil {
			return nil, err
		}
		if !d.Encrypted && r.nameOf(d) != e.content { // it was written directly to the store, not as a revision
			return nil, dovetail.UnreadableData(docs[i].ID, nil)
		}
		found[e.content] = d
		docs[i] = nil // the parsed one is enough
	}
	return left, nil
}

// archive makes the operation that keeps content which no document of the newest revision says any more.
func (r *Revisions) archive(ctx context.Context, content string, d *rendering.Document) (store.Operation, error) {
	text, key, err := r.text(ctx, content, d)
	spec := value.NewMap(value.Member{Name: keyring.MemberContent, Value: value.NewString(content)})
	if key != "" {
		spec.Set(keyring.Element, value.NewString(key))
	}
	return store.Operation{Verb: store.Put, ID: contentID(content),
		Data: value.NewMap(nameMember(content), value.Member{Name: "spec", Value: spec}, text)}, err
}

package layering

import (
	"context"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// memberData is what a tag holds, or a validation reports. It stands beside spec, where no references are searched for.
const memberData = "data"

func tagID(number int, tag string) dovetail.ID { return revisionID(number).Child(elementTag, tag) }

func noTag(number int, tag string) error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ClassTagNotFound, Key: tagID(number, tag),
		Message: "revision " + strconv.Itoa(number) + " has no tag " + tag, Remedy: "see " + urlOf(number) + "/tags for those that it has"}
}

// Tag gives a revision a tag with data, which replaces that of an equal tag. Errors: CodeNotFound for the revision,
// CodeInvalid with ClassTagBadFormat for data that is no map.
func (r *Revisions) Tag(ctx context.Context, number int, tag string, data *value.Value, options store.Options) error {
	if err := r.mayStage("tags"); err != nil {
		return err
	}
	if _, err := r.existing(ctx, number); err != nil {
		return err
	}
	if data == nil {
		data = value.NewMap()
	}
	why, remedy := dovetail.CheckValue(tag), "give it another name"
	if why == "" && data.Kind != value.Map {
		why, remedy = "has data that is a "+data.Kind.String()+", not a map", "send a map, or nothing"
	}
	if why != "" {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ClassTagBadFormat, Position: data.Position(), Message: "the tag " + why, Remedy: remedy}
	}
	options.Managed = true
	_, err := r.store.Apply(ctx, []store.Operation{tagOperation(number, tag, data)}, options)
	return err
}

func tagOperation(number int, tag string, data *value.Value) store.Operation {
	return store.Operation{Verb: store.Put, ID: tagID(number, tag), Data: value.NewMap(nameMember(tag), value.Member{Name: memberData, Value: data})}
}

// existing returns a revision that is stored: not number 0.
func (r *Revisions) existing(ctx context.Context, number int) (*Revision, error) {
	if number == 0 {
		return nil, noRevision(number)
	}
	return r.Revision(ctx, number)
}

// Tags returns the tags of a revision with their data, by name. Errors: CodeNotFound for the revision.
func (r *Revisions) Tags(ctx context.Context, number int) (*value.Value, error) {
	if _, err := r.existing(ctx, number); err != nil {
		return nil, err
	}
	docs, err := r.below(ctx, number, elementTag)
	if err != nil {
		return nil, err
	}
	tags := value.NewMap()
	for _, doc := range docs {
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return nil, err
		}
		tags.Members = append(tags.Members, value.Member{Name: lastValue(doc.ID), Value: data.Get(memberData)})
	}
	return tags, nil
}

// below returns the documents of a kind that belong to a revision; 0 is for all of them.
func (r *Revisions) below(ctx context.Context, number int, kind string) ([]*dovetail.Document, error) {
	q := store.ListQuery{Kind: kind}
	if number > 0 {
		q.Under = revisionID(number)
	}
	page, err := r.store.List(ctx, q)
	if err != nil {
		return nil, err
	}
	return page.Documents, nil
}

// Untag removes a tag, or all of a revision where tag is empty. Errors: CodeNotFound.
func (r *Revisions) Untag(ctx context.Context, number int, tag string, options store.Options) error {
	if err := r.mayStage("tags"); err != nil {
		return err
	}
	tags, err := r.Tags(ctx, number)
	if err != nil {
		return err
	}
	if tag != "" && tags.Get(tag) == nil {
		return noTag(number, tag)
	}
	var operations []store.Operation
	for _, m := range tags.Members {
		if tag == "" || m.Name == tag {
			operations = append(operations, store.Operation{Verb: store.Delete, ID: tagID(number, m.Name)})
		}
	}
	options.Managed = true
	_, err = r.store.Apply(ctx, operations, options)
	return err
}

package deckhand

import (
	"context"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The words of validations.
const (
	statusSuccess   = "success"
	statusFailure   = "failure"
	memberStatus    = "status"
	memberValidator = "validator"
)

func validationID(number int, name string) dovetail.ID {
	return revisionID(number).Child(elementCheck, name)
}

// Report records what a validation found in a revision: a status and the validator, and perhaps errors and
// expiresAfter. Errors: CodeNotFound for the revision, CodeInvalid.
func (r *Revisions) Report(ctx context.Context, number int, name string, result *value.Value) error {
	if _, err := r.existing(ctx, number); err != nil {
		return err
	}
	if why := dovetail.CheckValue(name); why != "" {
		return badName("validation", why)
	}
	status, _ := result.Get(memberStatus).Str()
	if status != statusSuccess && status != statusFailure || result.Get(memberValidator) == nil {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a validation has a status and a validator",
			Remedy: "send status: success or failure, and validator with name and version"}
	}
	for {
		entries, err := r.entries(own(ctx), number, name) // who may report need not see what others reported
		if err != nil {
			return err
		}
		next := strconv.Itoa(len(entries))
		_, err = r.store.Apply(ctx, []store.Operation{{Verb: store.Create, ID: validationID(number, name).Child(elementEntry, next),
			Data: value.NewMap(nameMember(next), value.Member{Name: memberData, Value: result})}}, store.Options{})
		if dovetail.CodeOf(err) != dovetail.CodeExists { // otherwise another report came first
			return err
		}
	}
}

// entries returns what a validation reported of a revision, in the order of the reports.
func (r *Revisions) entries(ctx context.Context, number int, name string) ([]*value.Value, error) {
	page, err := r.store.List(ctx, store.ListQuery{Kind: elementEntry, Under: validationID(number, name)})
	if err != nil {
		return nil, err
	}
	return readEntries(page.Documents)
}

// readEntries reads the reports of one validation, in their order.
func readEntries(docs []*dovetail.Document) ([]*value.Value, error) {
	sortByNumber(docs, entryNumber)
	var all []*value.Value
	for _, doc := range docs {
		data, err := readStored(doc)
		if err != nil {
			return nil, err
		}
		all = append(all, data.Get(memberData))
	}
	return all, nil
}

func entryNumber(doc *dovetail.Document) int {
	number, err := strconv.Atoi(lastValue(doc.ID))
	if err != nil {
		return 0
	}
	return number
}

// validation is one by name, with its reports.
type validation struct {
	name    string
	entries []*value.Value
}

// status is that of the last report.
func (v *validation) status() string { return textOf(v.entries[len(v.entries)-1].Get(memberStatus)) }

// validations returns those that reported of a revision, by name.
func (r *Revisions) validations(ctx context.Context, number int) ([]validation, error) {
	if _, err := r.existing(ctx, number); err != nil {
		return nil, err
	}
	docs, err := r.below(ctx, number, elementEntry)
	if err != nil {
		return nil, err
	}
	byName := make(map[string][]*dovetail.Document)
	for _, doc := range docs {
		name, _ := doc.Key().Value(elementCheck)
		byName[name] = append(byName[name], doc)
	}
	var all []validation
	for _, name := range sortedKeys(byName) {
		entries, err := readEntries(byName[name])
		if err != nil {
			return nil, err
		}
		all = append(all, validation{name, entries})
	}
	return all, nil
}

// entryValue shows what a validation found at one time.
func entryValue(name string, entry *value.Value) *value.Value {
	get := func(member string, otherwise *value.Value) *value.Value {
		if v := entry.Get(member); v != nil {
			return v
		}
		return otherwise
	}
	return value.NewMap(
		value.Member{Name: "name", Value: value.NewString(name)},
		value.Member{Name: memberStatus, Value: entry.Get(memberStatus)},
		value.Member{Name: "createdAt", Value: get("createdAt", value.NullValue())},
		value.Member{Name: "expiresAfter", Value: get("expiresAfter", value.NullValue())},
		value.Member{Name: "errors", Value: get("errors", value.NewList())})
}

// policies tells for each ValidationPolicy of a revision whether all validations that it names succeeded.
func (r *Revisions) policies(ctx context.Context, of *Revision) (*value.Value, error) {
	asked := make(index)
	for id, e := range of.index {
		if id.Schema == layering.ValidationPolicySchema {
			asked[id] = e
		}
	}
	body := value.NewMap()
	if len(asked) == 0 {
		return body, nil
	}
	documents, err := r.contents(ctx, asked)
	if err != nil {
		return nil, err
	}
	reported, err := r.validations(ctx, of.Number)
	if err != nil {
		return nil, err
	}
	found := make(map[string]string)
	for _, v := range reported {
		found[v.name] = v.status()
	}
	for _, e := range asked.sorted() {
		status := statusSuccess
		for _, wanted := range items(documents[e.content].Data().Get("validations")) {
			if found[textOf(wanted.Get("name"))] != statusSuccess {
				status = statusFailure
			}
		}
		body.Members = append(body.Members, value.Member{Name: e.id.Name, Value: value.NewMap(value.Member{Name: memberStatus, Value: value.NewString(status)})})
	}
	return body, nil
}

package layering

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
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
func (r *Revisions) Report(ctx context.Context, number int, name string, result *value.Value, options store.Options) error {
	if err := r.mayStage("validations"); err != nil {
		return err
	}
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
	options.Managed = true
	for {
		found, err := r.reports(own(ctx), validationID(number, name)) // the right to report does not include reading the reports of others
		if err != nil {
			return err
		}
		next := 0
		if len(found) > 0 {
			next = found[0].last().number + 1
		}
		_, err = r.store.Apply(ctx, []store.Operation{reportOperation(number, name, next, result)}, options)
		if dovetail.CodeOf(err) != dovetail.CodeExists { // otherwise another report came first
			return err
		}
	}
}

func reportOperation(number int, name string, entry int, result *value.Value) store.Operation {
	text := strconv.Itoa(entry)
	return store.Operation{Verb: store.Create, ID: validationID(number, name).Child(elementEntry, text),
		Data: value.NewMap(nameMember(text), value.Member{Name: memberData, Value: result})}
}

// report is one report of a validation. What it says is read when it is asked for.
type report struct {
	id      dovetail.ID
	number  int
	status  string
	created time.Time
}

// validation is one by name, with its reports in their order. There is at least one.
type validation struct {
	name    string
	reports []report
}

func (v *validation) last() report { return v.reports[len(v.reports)-1] }

// reportsAtOnce is how many reports are in memory while they are listed.
const reportsAtOnce = 100

// reports returns the validations whose reports are below an id, by name.
func (r *Revisions) reports(ctx context.Context, under dovetail.ID) ([]validation, error) {
	byName := make(map[string][]report)
	for q := (store.ListQuery{Kind: elementEntry, Under: under, Limit: reportsAtOnce}); ; {
		page, err := r.store.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, doc := range page.Documents {
			data, err := value.DataOf(doc, nil)
			if err != nil {
				return nil, err
			}
			number, err := strconv.Atoi(lastValue(doc.ID))
			if err != nil {
				return nil, dovetail.UnreadableData(doc.ID, err)
			}
			name, _ := doc.Key().Value(elementCheck)
			byName[name] = append(byName[name], report{doc.ID, number, textOf(data.At(memberData, memberStatus)), doc.Created})
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	var all []validation
	for _, name := range sortedKeys(byName) {
		slices.SortFunc(byName[name], func(a, b report) int { return a.number - b.number })
		all = append(all, validation{name, byName[name]})
	}
	return all, nil
}

// validations returns those that reported of a revision, by name.
func (r *Revisions) validations(ctx context.Context, number int) ([]validation, error) {
	if _, err := r.existing(ctx, number); err != nil {
		return nil, err
	}
	return r.reports(ctx, revisionID(number))
}

// entry shows a report of a validation, by what the policies of its revision ask for.
func (r *Revisions) entry(ctx context.Context, name string, of report, a *asked) (*value.Value, error) {
	doc, err := r.store.Get(ctx, of.id)
	if err != nil {
		return nil, err
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	shown := entryValue(name, data.Get(memberData))
	if a.ignores(name) {
		shown.Set(memberStatus, value.NewString(ignored(of.status)))
		shown.Set("errors", value.NewList(slices.Concat(shown.Get("errors").Items, a.because())...))
	}
	return shown, nil
}

// entryValue shows what a validation found at one time: of many errors the first dovetail.MaxErrors, and how many there are.
func entryValue(name string, entry *value.Value) *value.Value {
	get := func(member string, otherwise *value.Value) *value.Value {
		if v := entry.Get(member); v != nil {
			return v
		}
		return otherwise
	}
	errs := get("errors", value.NewList())
	shown := value.NewMap(
		value.Member{Name: "name", Value: value.NewString(name)},
		value.Member{Name: memberStatus, Value: entry.Get(memberStatus)},
		value.Member{Name: "createdAt", Value: get("createdAt", value.NullValue())},
		value.Member{Name: "expiresAfter", Value: get("expiresAfter", value.NullValue())},
		value.Member{Name: "errors", Value: errs})
	if total := len(errs.Items); total > dovetail.MaxErrors {
		shown.Set("errors", value.NewList(slices.Clone(errs.Items[:dovetail.MaxErrors])...))
		shown.Set("errorCount", value.NewNumber(int64(total)))
	}
	return shown
}

// policies tells for each ValidationPolicy of a revision whether all validations that it names succeeded.
func (r *Revisions) policies(ctx context.Context, of *Revision) (*value.Value, error) {
	asked := make(index)
	for id, e := range of.index {
		if id.Schema == rendering.ValidationPolicySchema {
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
		found[v.name] = v.last().status
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

// statuses are the validations of a revision with their statuses, by what reported of it.
func (r *Revisions) statuses(ctx context.Context, of *Revision, found []validation) (map[string]string, error) {
	if r.deckhand() {
		return r.deckhandStatuses(ctx, of, found)
	}
	statuses := make(map[string]string, len(found))
	for _, v := range found {
		statuses[v.name] = v.last().status
	}
	return statuses, nil
}

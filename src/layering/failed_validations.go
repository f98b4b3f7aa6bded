package layering

import (
	"context"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/value"
)

// failedValidationsURL is beside the revisions, since its answer is JSON and says itself which revision is the newest.
const failedValidationsURL = base + "/failed-validations"

// failedValidations answers which validations of the newest revision failed, and why.
type failedValidations struct {
	Revision int                `json:"revision"` // 0 before the first
	Count    int                `json:"count"`    // of all that failed
	Results  []failedValidation `json:"results"`  // the first maxReports, by name
}

// failedValidation is one that failed.
type failedValidation struct {
	Name       string   `json:"name"`
	Reported   bool     `json:"reported"` // otherwise a policy asks for it, and nothing was reported
	Messages   []string `json:"messages"` // of the first dovetail.MaxErrors errors of the report
	ErrorCount int      `json:"errorCount"`
}

var failedValidationsSchema = httpapi.Schema{"type": "object", "required": []string{"revision", "count", "results"}, "properties": httpapi.Schema{
	"revision": httpapi.Schema{"type": "integer", "description": "the newest revision; 0 before the first"},
	"count":    httpapi.Schema{"type": "integer", "description": "the number of failed validations"},
	"results": httpapi.Schema{"type": "array", "description": "the first failed validations, by name", "maxItems": maxReports, "items": httpapi.Schema{"type": "object",
		"required": []string{"name", "reported", "messages", "errorCount"}, "properties": httpapi.Schema{
			"name":       httpapi.Schema{"type": "string"},
			"reported":   httpapi.Schema{"type": "boolean", "description": "false if a policy requires the validation and there is no report"},
			"messages":   httpapi.Schema{"type": "array", "description": "the messages of the first errors", "maxItems": dovetail.MaxErrors, "items": httpapi.Schema{"type": "string"}},
			"errorCount": httpapi.Schema{"type": "integer", "description": "the number of errors in the report"},
		}}},
}}

func (r *Revisions) getFailedValidations(ctx context.Context, _ *httpapi.Request) (*httpapi.Response, error) {
	answer := failedValidations{Results: []failedValidation{}}
	docs, err := r.all(ctx)
	if err != nil || len(docs) == 0 {
		return &httpapi.Response{Body: answer}, err
	}
	if answer.Revision, err = strconv.Atoi(lastValue(docs[len(docs)-1].ID)); err != nil {
		return nil, dovetail.UnreadableData(docs[len(docs)-1].ID, err)
	}
	of, err := r.existing(ctx, answer.Revision)
	if err != nil {
		return nil, err
	}
	found, err := r.validations(ctx, of.Number)
	if err != nil {
		return nil, err
	}
	statuses, err := r.statuses(ctx, of, found)
	if err != nil {
		return nil, err
	}
	reported := make(map[string]validation, len(found))
	for _, v := range found {
		reported[v.name] = v
	}
	for _, name := range sortedKeys(statuses) {
		if statuses[name] != statusFailure {
			continue
		}
		if answer.Count++; answer.Count > maxReports {
			continue
		}
		failed, err := r.whyFailed(ctx, name, reported[name].reports)
		if err != nil {
			return nil, err
		}
		answer.Results = append(answer.Results, failed)
	}
	return &httpapi.Response{Body: answer}, nil
}

// whyFailed says why a validation failed, by the last of its reports that says so.
func (r *Revisions) whyFailed(ctx context.Context, name string, reports []report) (failedValidation, error) {
	failed := failedValidation{Name: name, Messages: []string{}}
	for i := len(reports) - 1; i >= 0; i-- {
		if reports[i].status != statusFailure {
			continue
		}
		doc, err := r.store.Get(ctx, reports[i].id)
		if err != nil {
			return failed, err
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return failed, err
		}
		errs := items(data.At(memberData, "errors"))
		failed.Reported, failed.ErrorCount = true, len(errs)
		for _, e := range errs[:min(len(errs), dovetail.MaxErrors)] {
			if text := textOf(e.Get("message")); text != "" { // a validator may report errors of its own form
				failed.Messages = append(failed.Messages, text)
			}
		}
		break
	}
	return failed, nil
}

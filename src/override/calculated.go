package override

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
)

// contextTopology is the context that knows the namespaces of all environments.
const contextTopology = "topology"

// calculatedContexts are those of calculated sets: the folders of their files.
func calculatedContexts() []string {
	return []string{"deployment", "runtime", "pipeline", "cleanup", contextTopology}
}

// The kinds of files that all environments share.
const (
	kindConfigurationFile = "configurationFile"
	fileRegistry          = "registry"
	fileSecretStores      = "secret-stores"
)

// unused says which documents of an environment no calculation reads: what environments are generated from, and sets.
func unused(id dovetail.ID) bool {
	switch key := id.Key(); key[len(key)-1].Name {
	case kindEffectiveSetPart, kindEnvironmentParamSet, kindAssociation:
		return true
	}
	return false
}

// calculate calculates the effective set of an environment from the documents. Those that could not be part of a repository, and all that
// is wrong, are findings of the answer: errors are about reading alone.
func (o *Overrides) calculate(ctx context.Context, e inventory.Environment, of, session string, explain bool) (*shownCalculated, error) {
	documents, err := o.calculatedFrom(ctx, e, of)
	if err != nil {
		return nil, err
	}
	result, err := o.calculation(calculated{e, of == contextTopology}, documents, session, explain)
	if err != nil {
		return nil, err
	}
	shown := &shownCalculated{EnvironmentID: e.String(), Context: of, Basis: effectiveset.BasisCalculation, Complete: result.failed == nil && len(result.unwritable) == 0, Files: []shownFile{}, Findings: []api.Finding{}}
	for _, err := range result.unwritable {
		shown.fail(err)
	}
	if result.failed != nil {
		shown.fail(dovetail.AsError(result.failed))
	}
	if result.set != nil {
		shown.add(result.set)
	}
	if explain {
		for i, f := range shown.Files {
			explained, err := result.set.Explanations(f.Path, o.options.Open != nil)
			if err != nil {
				return nil, err
			}
			shown.Files[i].Explained = &explained
		}
	}
	return shown, nil
}

// calculatedFrom reads what the set of an environment is calculated from. The principal must be allowed to read all of the environment, and for
// the topology the namespaces of all environments.
func (o *Overrides) calculatedFrom(ctx context.Context, e inventory.Environment, of string) ([]*dovetail.Document, error) {
	if err := o.exists(ctx, e); err != nil {
		return nil, err
	}
	environment, err := o.documents.Get(ctx, e.ID())
	if err != nil {
		return nil, err
	}
	all := []*dovetail.Document{environment}
	queries := []store.ListQuery{{Under: e.ID(), Complete: true, Fits: func(id dovetail.ID) bool { return !unused(id) }}}
	if of == contextTopology {
		own := e.ID()
		queries = append(queries, store.ListQuery{Kind: kindNamespace, Complete: true, Fits: func(id dovetail.ID) bool { return !strings.HasPrefix(string(id), string(own)+"/") }})
	}
	for _, q := range queries {
		page, err := o.documents.List(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Documents...)
	}
	for _, name := range []string{fileRegistry, fileSecretStores} {
		file, err := o.read(ctx, configurationFileID(name))
		if err != nil {
			return nil, err
		}
		if file.doc != nil {
			all = append(all, file.doc)
		}
	}
	return all, nil
}

// configurationFileID is the id of a file that all environments share.
func configurationFileID(name string) dovetail.ID {
	return dovetail.ID("").Child(kindConfigurationFile, name)
}

// noFiles is an empty file system.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// shownCalculated is one context of a calculated set as it is answered.
type shownCalculated struct {
	EnvironmentID string        `json:"environmentId"`
	Context       string        `json:"context"`
	Basis         string        `json:"basis"`
	Complete      bool          `json:"complete"` // nothing of the set is missing
	Files         []shownFile   `json:"files"`
	Findings      []api.Finding `json:"findings"`
}

type shownFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	// Explained says where each value comes from, if that was asked for.
	Explained *[]parameters.Explanation `json:"explained,omitempty"`
}

// add shows the files of the context, and what there is to know about the set.
func (s *shownCalculated) add(set *effectiveset.Set) {
	for _, name := range slices.Sorted(maps.Keys(set.Files)) {
		if strings.HasPrefix(name, s.Context+"/") {
			s.Files = append(s.Files, shownFile{Path: name, Content: string(set.Files[name])})
		}
	}
	s.Findings = append(s.Findings, effectiveset.ShowFindings(set.Findings)...)
}

// fail shows an error, or its parts.
func (s *shownCalculated) fail(err *dovetail.Error) {
	for _, part := range err.Errors {
		s.fail(part)
	}
	if len(err.Errors) == 0 {
		s.Findings = append(s.Findings, effectiveset.ShowError(err))
	}
	if n := err.Omitted(); n > 0 && len(err.Errors) > 0 {
		s.Findings = append(s.Findings, api.Finding{Severity: "error", Message: "there are more errors, which are not shown", Remedy: "correct those that are shown first"})
	}
}

func (o *Overrides) handleGetCalculated(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	e, of := r.environment(), r.text(sayContext, true)
	if of != "" && !slices.Contains(calculatedContexts(), of) {
		r.body().Get(sayContext).Fail("give one of "+strings.Join(calculatedContexts(), ", "), "%q is no context of a calculated set", of)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	set, err := o.calculate(ctx, e, of, r.text(saySession, false), call.Query.Get(sayView) == string(parameters.ViewExplain))
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: set}, nil
}

package descriptor

import (
	"context"
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// stored is an SD as it was read: its document, nil when there is none, and what that holds.
type stored struct {
	id  dovetail.ID
	doc *dovetail.Document
	sd  *sd.Descriptor
	err error // when the document, written through another API, is not an SD
}

// read returns an SD of an environment.
func (s *Solutions) read(ctx context.Context, e inventory.Environment, p Part) (*stored, error) {
	of := &stored{id: p.of(e)}
	var err error
	of.doc, err = s.store.Get(ctx, of.id)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return of, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := value.DataOf(of.doc, nil)
	if err != nil {
		return nil, err
	}
	of.sd, of.err = sd.New(dovetail.Position{File: string(of.id), Path: "/spec"}, data.Get("spec").Unplaced())
	return of, nil
}

// Get returns the document of an SD, which is its spec. Errors: CodeNotFound for the environment or
// the SD.
func (s *Solutions) Get(ctx context.Context, e inventory.Environment, p Part) (*dovetail.Document, error) {
	doc, err := s.store.Get(ctx, p.of(e))
	if dovetail.CodeOf(err) != dovetail.CodeNotFound {
		return doc, err
	}
	if err := s.exists(ctx, e); err != nil {
		return nil, err
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: p.of(e), Message: "the environment " + e.String() + " has no " + string(p) + " solution descriptor",
		Remedy: "process or put one"}
}

// spec returns the SD that a document holds.
func spec(doc *dovetail.Document) json.RawMessage {
	var data struct {
		Spec json.RawMessage `json:"spec"`
	}
	if json.Unmarshal(doc.Data, &data) != nil || data.Spec == nil {
		return json.RawMessage("null")
	}
	return data.Spec
}

// put makes the operation that replaces the SD that was read.
func (of *stored) put(p Part, descr *sd.Descriptor) store.Operation {
	data := value.NewMap(
		value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: value.NewString(string(p))})},
		value.Member{Name: "spec", Value: descr.Value()})
	op := store.Operation{Verb: store.Create, ID: of.id, Data: data}
	if of.doc != nil {
		op.Verb, op.IfMatch = store.Put, []dovetail.ETag{of.doc.ETag()}
	}
	return op
}

// namespaces maps the names of an environment's namespaces to their deploy postfixes. It fails if the principal
// may not read one of them: the check of an SD would be wrong.
func (s *Solutions) namespaces(ctx context.Context, e inventory.Environment) (map[string]string, error) {
	page, err := s.store.List(ctx, store.ListQuery{Under: e.ID(), Kind: kindNamespace, Complete: true})
	if err != nil {
		return nil, err
	}
	if len(page.Documents) == 0 && !s.options.EnforceNamespaces {
		return nil, nil // no namespaces have been registered yet
	}
	names := make(map[string]string, len(page.Documents))
	for _, doc := range page.Documents {
		key := doc.Key()
		postfix := key[len(key)-1].Value
		var data struct {
			Spec struct {
				Namespace string `json:"namespace"`
			} `json:"spec"`
		}
		name := postfix
		if json.Unmarshal(doc.Data, &data) == nil && data.Spec.Namespace != "" {
			name = data.Spec.Namespace
		}
		names[name] = postfix
	}
	return names, nil
}

// domain returns the blue-green domain of an environment, nil if there is none that the principal may read.
func (s *Solutions) domain(ctx context.Context, e inventory.Environment) (*sd.Domain, error) {
	page, err := s.store.List(ctx, store.ListQuery{Under: e.ID(), Kind: "bgDomain", Limit: 1})
	if err != nil || len(page.Documents) == 0 {
		return nil, err
	}
	data, err := value.DataOf(page.Documents[0], nil)
	if err != nil {
		return nil, err
	}
	return sd.DomainOf(data.Get("spec")), nil
}

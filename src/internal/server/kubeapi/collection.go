package kubeapi

import (
	"context"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// maxCollection is how many objects one request may delete, since it does so in one transaction.
const maxCollection = 10_000

// deleteCollection deletes what the selectors fit, or the first of that up to a limit: all of these or nothing.
func (a *API) deleteCollection(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	s, err := a.selection(call)
	if err != nil {
		return nil, err
	}
	if s.namespaced() && s.namespace == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "collections of " + s.plural + " are deleted in a namespace", Remedy: "name one"}
	}
	// Lists show what may be read: without this, whoever may delete nothing here would be told that it is done.
	if err := a.store.Admit(ctx, store.Scope{Right: dovetail.RightDelete, Kinds: []string{s.of.Name}, ID: s.under}); err != nil {
		return nil, err
	}
	o, err := options(call)
	if err != nil {
		return nil, err
	}
	template := store.Operation{Verb: store.Delete}
	if err := a.deletion(ctx, call, &template, &o); err != nil {
		return nil, err
	}
	limit, err := number(call, paramLimit, "items")
	if err != nil {
		return nil, err
	}
	within, err := seconds(call)
	if err != nil {
		return nil, err
	}
	if within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	err = store.Transact(ctx, func() error {
		operations, err := a.deletions(ctx, s, template, limit)
		if err != nil || len(operations) == 0 {
			return err
		}
		_, err = a.store.Apply(ctx, operations, o)
		switch dovetail.CodeOf(err) {
		case dovetail.CodeNotFound, dovetail.CodeStale: // between the look and the deletion others may delete, or change what is selected
			return store.Retry(err)
		}
		return dovetail.WithoutIndex(err)
	})
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Group: s.group, Kind: s.plural}}), nil
}

// deletions are those of the objects that are selected now, as they are now; of the first ones if the limit is not 0.
func (a *API) deletions(ctx context.Context, s *selection, template store.Operation, limit int) ([]store.Operation, error) {
	then, err := a.store.At(ctx, "")
	if err != nil {
		return nil, err
	}
	most := maxCollection
	if limit > 0 {
		most = min(limit, maxCollection)
	}
	documents, next, err := s.list(ctx, then, "", most)
	if err != nil {
		return nil, err
	}
	if next != "" && len(documents) != limit {
		return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Message: fmt.Sprintf("more than %d %s are selected, too many to be deleted at once", maxCollection, s.plural),
			Remedy: "select some of them by labelSelector or fieldSelector, or set a limit, and repeat that"}
	}
	if len(documents) == 0 {
		lacks, err := s.lacksNamespace(ctx, then)
		if err == nil && lacks != "" {
			err = &dovetail.Error{Code: dovetail.CodeNotFound, Message: lacks, Remedy: "kubectl get namespaces lists them"}
		}
		return nil, err
	}
	operations := make([]store.Operation, len(documents))
	for i, doc := range documents {
		operations[i] = template
		operations[i].ID, operations[i].IfMatch = doc.ID, []dovetail.ETag{doc.ETag()}
	}
	return operations, nil
}

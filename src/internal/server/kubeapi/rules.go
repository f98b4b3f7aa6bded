package kubeapi

import (
	"context"
	"net/http"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// readVerbs and writeVerbs are those of the resources of documents, each of which rightsOf knows.
var (
	readVerbs  = []string{"get", "list", "watch"}
	writeVerbs = []string{"create", "update", "patch", "delete", "deletecollection"}
)

// reviewRules answers what the principal may do in the namespace of a SelfSubjectRulesReview, and with what is in no
// namespace: with some object of each resource, as review does where no object is named.
func (a *API) reviewRules(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	given, err := reviewed(call, &authorizationv1.SelfSubjectRulesReview{})
	if err != nil {
		return nil, err
	}
	namespace, _ := given.At("spec", "namespace").Str()
	if namespace == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the review names no namespace", Remedy: "give one as spec.namespace"}
	}
	return reply(http.StatusCreated, authorizationv1.SelfSubjectRulesReview{
		TypeMeta: metav1.TypeMeta{Kind: "SelfSubjectRulesReview", APIVersion: reviewGroup + "/" + version},
		Spec:     authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
		Status: authorizationv1.SubjectRulesReviewStatus{
			ResourceRules: a.rules(ctx, namespace),
			NonResourceRules: []authorizationv1.NonResourceRule{{Verbs: []string{"get"},
				NonResourceURLs: []string{"/api", "/api/*", "/apis", "/apis/*", "/openapi/v3", "/openapi/v3/*", "/version"}}},
		}}), nil
}

// rules has one entry for all resources of a group with which the same verbs are allowed, in the order of the catalog.
func (a *API) rules(ctx context.Context, namespace string) []authorizationv1.ResourceRule {
	rules := []authorizationv1.ResourceRule{{Verbs: []string{"create"}, APIGroups: []string{reviewGroup}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}}}
	rules = append(rules, authorizationv1.ResourceRule{Verbs: definitionResource.Verbs, APIGroups: []string{definitionGroup}, Resources: []string{definitionResource.Name}})
	if a.store.MayWithin(ctx, store.Scope{Right: dovetail.RightRead, AnyKind: true}) {
		rules = append(rules, authorizationv1.ResourceRule{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"namespaces"}})
	}
	for _, g := range a.catalog().groups {
		first := len(rules)
		for _, r := range g.resources {
			scope := store.Scope{Kinds: []string{r.of.Name}}
			if r.namespaced() {
				under, err := r.under(namespace)
				if err != nil {
					continue // no object of it can be in a namespace of this name
				}
				scope.ID = under
			}
			verbs := a.verbs(ctx, scope)
			if len(verbs) == 0 {
				continue
			}
			same := slices.IndexFunc(rules[first:], func(rule authorizationv1.ResourceRule) bool { return slices.Equal(rule.Verbs, verbs) })
			if same >= 0 {
				rules[first+same].Resources = append(rules[first+same].Resources, r.plural)
				continue
			}
			rules = append(rules, authorizationv1.ResourceRule{Verbs: verbs, APIGroups: []string{g.name}, Resources: []string{r.plural}})
		}
	}
	return rules
}

// verbs are those that the principal may use somewhere in a scope.
func (a *API) verbs(ctx context.Context, scope store.Scope) []string {
	var verbs []string
	for _, verb := range slices.Concat(readVerbs, writeVerbs) {
		missing := slices.ContainsFunc(rightsOf(verb), func(right dovetail.Right) bool {
			scope.Right = right
			return !a.store.MayWithin(ctx, scope)
		})
		if !missing {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}

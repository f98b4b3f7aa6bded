package override

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The kinds that only notices look at.
const (
	kindEnvironmentApplication = "environmentApplication"
	kindCredential             = "environmentCredential"
	kindSolutionDescriptor     = "solutionDescriptor"
)

// absent returns notices of what an override names and the environment does not have: it is accepted, since both may come
// later, and has no effect until then. What the principal may not read is passed over.
func (o *Overrides) absent(ctx context.Context, p place, values *value.Value) ([]string, error) {
	var notices []string
	if p.Application != "" {
		has, err := o.hasApplication(ctx, p)
		if err != nil {
			return nil, err
		}
		if !has {
			notices = append(notices, "there is no application "+p.Application+" in "+p.namespace.postfix()+
				", neither in the namespace nor in the solution descriptor: the override has no effect until there is one")
		}
	}
	for _, credential := range credentialsIn(values) {
		has, err := o.has(ctx, p.Environment.ID(), kindCredential, credential)
		if err != nil {
			return nil, err
		}
		if !has {
			notices = append(notices, "the environment has no credential "+credential+", which the parameters name: generating effective sets fails until there is one")
		}
	}
	return notices, nil
}

// hasApplication reports whether the application of a place is one of its namespace, of the environment or of its
// solution descriptor.
func (o *Overrides) hasApplication(ctx context.Context, p place) (bool, error) {
	for _, in := range []struct {
		parent dovetail.ID
		kind   string
	}{{p.namespace.id, kindApplication}, {p.Environment.ID(), kindEnvironmentApplication}} {
		if has, err := o.has(ctx, in.parent, in.kind, p.Application); has || err != nil {
			return has, err
		}
	}
	return o.isDescribed(ctx, p)
}

// isDescribed reports whether the application of a place is one of the solution descriptor; it counts as one if the principal may not know.
func (o *Overrides) isDescribed(ctx context.Context, p place) (bool, error) {
	doc, err := o.documents.Get(ctx, p.Environment.ID().Child(kindSolutionDescriptor, "full"))
	if err != nil {
		return dovetail.CodeOf(err) != dovetail.CodeNotFound, unlessHidden(err)
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return false, err
	}
	applications := data.At(memberSpec, memberApplications)
	if applications == nil {
		return false, nil
	}
	postfixes := []string{p.namespace.folder, p.namespace.postfix(), strings.TrimSuffix(p.namespace.folder, "-"+string(p.namespace.role))}
	return slices.ContainsFunc(applications.Items, func(a *value.Value) bool {
		version, ok := a.Str()
		if !ok {
			version, _ = a.Get("version").Str()
		}
		name, _, _ := strings.Cut(version, ":")
		postfix, _ := a.Get("deployPostfix").Str()
		return name == p.Application && (postfix == "" || slices.Contains(postfixes, postfix))
	}), nil
}

// has reports whether a document exists; it counts as there if the principal may not know.
func (o *Overrides) has(ctx context.Context, parent dovetail.ID, kind, name string) (bool, error) {
	if dovetail.CheckValue(name) != "" {
		return false, nil
	}
	_, err := o.documents.Get(ctx, parent.Child(kind, name))
	return dovetail.CodeOf(err) != dovetail.CodeNotFound, unlessHidden(err)
}

// unlessHidden returns an error that keeps the store from answering.
func unlessHidden(err error) error {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeNotFound, dovetail.CodeForbidden:
		return nil
	}
	return err
}

// macros find the credentials that a text names, as in ${creds.get("db").password}.
var macros = regexp.MustCompile(`creds\.get\(\s*["']([^"']+)["']\s*\)`)

// credentialsIn returns the credentials that parameters name, by macros and as references, in order.
func credentialsIn(v *value.Value) []string {
	found := make(map[string]bool)
	collectCredentials(v, found)
	return slices.Sorted(maps.Keys(found))
}

func collectCredentials(v *value.Value, found map[string]bool) {
	if v == nil {
		return
	}
	switch v.Kind {
	case value.String:
		for _, match := range macros.FindAllStringSubmatch(v.Text, -1) {
			found[match[1]] = true
		}
	case value.List:
		for _, item := range v.Items {
			collectCredentials(item, found)
		}
	case value.Map:
		if kind, _ := v.Get("$type").Str(); kind == "credRef" {
			if id, ok := v.Get("credId").Str(); ok {
				found[id] = true
			}
		}
		for _, m := range v.Members {
			if id, ok := m.Value.Str(); ok && strings.HasPrefix(m.Name, "#creds{") {
				found[id] = true
			}
			collectCredentials(m.Value, found)
		}
	case value.Null, value.Bool, value.Number:
	}
}

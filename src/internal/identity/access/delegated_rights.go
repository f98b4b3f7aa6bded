package access

import (
	"context"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// delegation is what a user of a cluster may do: what the grants allow, or the cluster. It fails closed: what the cluster does not
// answer is not allowed, and the request that it was needed for fails; see Deciding.
type delegation struct {
	*Grants

	ctx     context.Context
	to      *Delegation
	subject subject
	digest  Digest // of the user
}

// verbsOf are the verbs of a cluster of which any gives a right.
func verbsOf(right dovetail.Right) []string {
	switch right {
	case dovetail.RightRead:
		return []string{"get", "list"}
	case dovetail.RightUpdate:
		return []string{"update", "patch"}
	case dovetail.RightDelete:
		return []string{"delete", "deletecollection"}
	}
	return []string{string(right)} // create, act and use
}

// Allows implements dovetail.Permissions. The cluster is asked about all documents of the kind first, then about those of the namespace,
// and then about the one.
func (d *delegation) Allows(right dovetail.Right, kind string, id dovetail.ID) bool {
	if d.Grants.Allows(right, kind, id) {
		return true
	}
	if kind == metricsKind {
		return right == dovetail.RightRead && d.allowed(&question{subject: d.subject, Path: &pathAttributes{Verb: "get", Path: api.Metrics}})
	}
	r, known := d.to.options.Resource(kind, id)
	if !known {
		return false
	}
	whole := Resource{Group: r.Group, Plural: r.Plural}
	within := Resource{Group: r.Group, Plural: r.Plural, Namespace: r.Namespace}
	return d.has(right, whole) || r.Namespace != "" && d.has(right, within) ||
		right != dovetail.RightCreate && r.Name != "" && d.has(right, r) // who creates has no name yet
}

// Below implements dovetail.Permissions. The cluster is asked about all namespaces: the documents below an id are in several.
func (d *delegation) Below(right dovetail.Right, kinds []string, id dovetail.ID) bool {
	for _, kind := range kinds {
		if d.Grants.Below(right, []string{kind}, id) {
			continue
		}
		r, known := d.to.options.Resource(kind, "")
		if !known || !d.has(right, r) {
			return false
		}
	}
	return true
}

// Anywhere implements dovetail.Permissions. A cluster cannot be asked where a user has a right: it may be in any namespace. So
// nothing is refused before it is known which documents it concerns.
func (d *delegation) Anywhere(dovetail.Right, []string, dovetail.ID) bool { return true }

// Everywhere implements dovetail.Permissions.
func (d *delegation) Everywhere(right dovetail.Right) bool {
	return d.Grants.Everywhere(right) || d.has(right, Resource{Group: "*", Plural: "*"})
}

// has asks for any verb that gives the right.
func (d *delegation) has(right dovetail.Right, r Resource) bool {
	for _, verb := range verbsOf(right) {
		if d.allowed(&question{subject: d.subject, Resource: &resourceAttributes{Verb: verb, Group: r.Group, Version: "*", Resource: r.Plural, Namespace: r.Namespace, Name: r.Name}}) {
			return true
		}
	}
	return false
}

func (d *delegation) allowed(q *question) bool {
	if err := d.ctx.Err(); err != nil {
		decisionOf(d.ctx).fail(d.to.unanswered(err))
		return false
	}
	allowed, err := d.to.allowed(d.ctx, d.digest, q)
	if err != nil {
		decisionOf(d.ctx).fail(err)
	}
	return allowed
}

// Bystander is what a principal may do that has no rights, and is not to be refused before it is known which documents a
// request concerns: then it concerns none.
type Bystander struct{ *Grants }

// Anywhere implements dovetail.Permissions.
func (Bystander) Anywhere(dovetail.Right, []string, dovetail.ID) bool { return true }

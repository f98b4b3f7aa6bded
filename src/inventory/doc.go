// Package inventory owns the hierarchy of deployment configuration: clusters, their environments,
// the namespaces of these, and the applications in them. Its part of the ref-schema is
// ref-schemas/v1.yaml; other services define kinds below it.
package inventory

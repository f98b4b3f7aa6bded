// Package selector reads label and field selectors and says which documents they match. The
// syntax is that of Kubernetes, as in kubectl.
//
// Selectors are immutable and safe for concurrent use; the zero one matches everything.
package selector

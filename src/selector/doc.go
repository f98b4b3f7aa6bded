// Package selector reads label and field selectors and says which documents they match. The
// syntax is the one of Kubernetes, so that what people know from kubectl works here.
//
// Selectors are immutable and safe for concurrent use; the zero one matches everything. The
// package may import value and dovetail.
package selector

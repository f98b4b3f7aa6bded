// Package krm renders the layered documents among the items of a ResourceList, the form in which kustomize and kpt give objects
// to functions and take them back, and reads those in files. An item is a layered document, or a Kubernetes object whose annotations define its
// layering. docs/layering.md describes both for users.
//
// The package is pure.
package krm

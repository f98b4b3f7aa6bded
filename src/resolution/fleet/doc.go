// Package fleet maintains an ActiveResolution for each cluster of an ActiveResolutionSet: one request for many clusters with different
// facts. It writes and deletes ActiveResolutions, and sums up their results in the status of the set. The controller of package
// resolution resolves them like any others.
//
// Set and summary are pure; the Controller reads and writes the store.
package fleet

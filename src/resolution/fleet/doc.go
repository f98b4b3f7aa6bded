// Package fleet keeps an ActiveResolution for each cluster of an ActiveResolutionSet: one request for many clusters, which differ in
// what they have. It writes and deletes these, and sums up in the status of the set what became of them. Resolving them is not its work, but that of the
// controller of package resolution, for which they are as any others.
//
// What a set asks for and what is said of it is pure (Set, summary); the Controller reads and writes the store. It may import dovetail,
// value, store, selector, and solver, state and sourcedoc of resolution, and no backend and no service.
package fleet

// Package resolution keeps the status of ActiveResolutions true: what their constraints select from the
// stored sources, or why that cannot be, and what activators make of it. It also resolves without storing,
// and loads catalogs in one request.
//
// The status is the work of a controller, which follows the changes of the store and keeps the parsed form of
// all sources. One process of several runs it (package lease); all of them serve the HTTP API.
//
// The answers are those of package solver, which is pure; activator and catalog are, too.
package resolution

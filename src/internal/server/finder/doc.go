// Package finder finds documents by a part of their names, while a user types. An Index ranks the names in memory; a Finder fills
// one from the database at the first search, keeps it current by the change feed, and drops it when it is no longer used.
package finder

// Package finder finds documents by a part of their names, while a user types. An Index ranks the names in memory; a Finder fills
// one from the database when it is first asked, keeps it current by the change feed, and drops it when it is no longer used.
package finder

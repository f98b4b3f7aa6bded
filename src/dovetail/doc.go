// Package dovetail has the domain types of Dovetail: documents and their ids, references, versions, and one type of
// error.
//
// # Documents and ids
//
// A [Document] is a JSON object of some kind, with an [ID], a version and the references that the ref-schema finds in it. Its id is
// the path from its topmost ancestor, kinds and names in turn: "project/p1/app/nginx". [ID.Child] builds an id and escapes the name;
// [ParseID] reads one that a user wrote; [ID.Key] takes it apart; [ID.IsDescendantOf] compares two.
//
// # Versions
//
// [Document.ETag] is the version of a document: its uid, which a new document of the same id does not share, and its revision.
// Use it to make a write conditional on the version that was read. In HTTP it is the header ETag; [ParseETag] parses it.
//
// # Errors
//
// Every error is an [*Error]. [CodeOf] returns its [Code], on which programs decide; [AsError] returns the error itself, whose fields
// list the documents that are missing, block the operation or have another version. Both look through errors that wrap an Error. If
// several operations fail, Errors has an error for each of them. The text of an error says what is wrong, where, and what to do, so a
// program can show it to its users unchanged.
//
// # Principals
//
// With access control, [WithPrincipal] puts the principal of a request into its context.
//
// It does no I/O and reads no clock. Values are plain data, safe to share between goroutines as long as no goroutine
// changes them.
package dovetail

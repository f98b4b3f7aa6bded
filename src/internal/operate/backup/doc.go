// Package backup is the file format of backups: it writes what store.Backup yields, and reads it again, verified.
//
// A backup is a file of gzip members, one after the other, so that gzip, zcat and jq read it as lines of JSON. The first
// member holds one line, the [Header], with the format, the position, and the ref-schema. Each of the following ones holds about a MiB
// of documents, a line each, in the byte order of ids, with their data exactly as stored. The last one holds one line, the [Summary],
// with the documents of each kind and the SHA-256 of all bytes of the file before it. [Read] checks every byte of a file: one that was cut off
// or changed anywhere is an error.
//
// It opens no files and no databases.
package backup

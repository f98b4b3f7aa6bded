// Package peer puts the systems that Dovetail is measured beside, and Dovetail's own store, behind one
// interface: create a document whose parent and whose two referenced documents must exist, durably.
//
// Each system does it in the way that suits it best: PostgreSQL with foreign keys and prepared statements over
// a Unix socket, etcd with a transaction of compares, bbolt with puts that check nothing. The servers are
// started here, on the same disk, with their defaults for durability. One whose programs are not installed
// gives ErrMissing.
package peer

// Package base reads layers that are kept elsewhere: in a repository of Git, or as an artifact in a registry of OCI. A lock file says
// which commit or artifact each base is, and the digest of its files; with that and the cache, no network is needed, and what does not
// have the digest is refused.
package base

// Package access authenticates requests by their bearer tokens, and authorizes them by a policy of
// roles. A token is either one of a file, of which only digests are kept, or a JWT of an OpenID Connect
// provider. A policy gives roles, which are rules by kind and verb, to users and groups on parts of the
// hierarchy; what no rule allows is forbidden.
//
// Decisions are pure and fast: a policy is compiled once, and once more for each principal; then a
// decision is a few comparisons. docs/security.md is the documentation for users.
package access

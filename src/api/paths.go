package api

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Root is the path below which documents are served, each kind at the paths of the ref-schema.
const Root = "/v2"

// Paths of a process, outside of Root.
const (
	Index   = "/"
	Live    = "/livez"
	Ready   = "/readyz"
	Metrics = "/metrics"
	OpenAPI = "/openapi.json"
	GitPush = "/git-webhook"
)

// Paths below Root that every server of documents has, whatever its ref-schema says. Variables stand in braces. The first
// words are reserved: no kind can be served there.
var (
	Access            = declare("/access")
	Audit             = declare("/audit")
	AuditVerification = declare("/audit/verification")
	Authors           = declare("/authors")
	Backup            = declare("/backup")
	Batch             = declare("/batch")
	Counts            = declare("/counts")
	DeadLetters       = declare("/webhooks/{name}/dead-letters")
	Documents         = declare("/documents")
	EncryptionRotate  = declare("/encryption/rotate")
	Health            = declare("/health") // as Live, for older clients
	IdempotencyKey    = declare("/idempotency-keys/{key}")
	Redeliver         = declare("/webhooks/{name}/redeliver")
	Rename            = declare("/rename")
	Revert            = declare("/transactions/{position}/revert")
	Rollback          = declare("/rollback")
	Schema            = declare("/schema")
	SchemaImpact      = declare("/schema/impact")
	SchemaKind        = declare("/schema/{kind}")
	SchemaMigrate     = declare("/schema/migrate")
	SchemaVersions    = declare("/schema/versions")
	Scrub             = declare("/scrub")
	Search            = declare("/search")
	Session           = declare("/sessions/{session}")
	Sessions          = declare("/sessions")
	System            = declare("/system")
	Transaction       = declare("/transactions/{position}")
	Transactions      = declare("/transactions")
	Watch             = declare("/watch")
	Webhooks          = declare("/webhooks")
	Work              = declare("/work")
	WorkClaim         = declare("/work/claim")
	WorkFinish        = declare("/work/finish")
	WorkRenew         = declare("/work/renew")
)

// reserved are the first words of the paths below Root.
var reserved = make(map[string]bool)

func declare(below string) string {
	word, _, _ := strings.Cut(below[1:], "/")
	reserved[word] = true
	return Root + below
}

// IsReserved reports whether a path below Root, such as "/backup/{name}", begins with a word that the server has for itself.
func IsReserved(below string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
	return reserved[word]
}

// Reserved returns the first words of the paths below Root, sorted.
func Reserved() []string { return slices.Sorted(maps.Keys(reserved)) }

// Fill returns a path with its variables replaced by values, which it escapes.
func Fill(path string, values ...string) string {
	var b strings.Builder
	for _, v := range values {
		before, after, _ := strings.Cut(path, "{")
		_, path, _ = strings.Cut(after, "}")
		b.WriteString(before + url.PathEscape(v))
	}
	return b.String() + path
}

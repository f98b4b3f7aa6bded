package httpapi

import (
	"net/http"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/backup"
)

// endpoint is one verb of a path that does not depend on the ref-schema. Of several that fit a path the first one serves it.
type endpoint struct {
	verb string
	path string
	*method
}

// get returns an endpoint that reads, with a success code of 200.
func get(path string, m *method) endpoint {
	m.code = http.StatusOK
	return endpoint{http.MethodGet, path, m}
}

// post returns an endpoint whose body and answer have one of the formats of resources. The default of its success code is 200.
func post(path string, m *method) endpoint {
	m.offers = resources
	if m.code == 0 {
		m.code = http.StatusOK
	}
	return endpoint{http.MethodPost, path, m}
}

// processEndpoints are those that a process has without documents, too.
func (a *API) processEndpoints() []endpoint {
	plain := object{"text/plain": object{"schema": object{"type": "string"}}}
	all := []endpoint{
		get(api.Index, &method{handle: index, offers: resources, answer: anyAnswer, summary: "list the endpoints of this server"}),
		get(api.Live, &method{handle: livez, answer: anyAnswer, summary: "check whether the process is alive"}),
		get(api.Ready, &method{handle: readyz, answer: anyAnswer, summary: "check whether the server is ready, with the result of each check"}),
		get(api.Metrics, &method{handle: a.metrics.handler(a.options.Metrics), answer: plain, summary: "metrics in Prometheus format"}),
		get(api.OpenAPI, &method{handle: getOpenAPI, answer: anyAnswer, summary: "this OpenAPI description"}),
	}
	if a.options.GitWebhook != nil {
		all = append(all, post(api.GitPush, &method{handle: postGitWebhook, code: http.StatusAccepted, query: []string{"gitRepository"}, body: gitPushBody, answer: texts(gitPushSchema()),
			summary: "webhook for pushes, which triggers a fetch of an instance repository; the Git host authenticates with a signature or a token of the shared secret"}))
	}
	return all
}

// storeEndpoints are those of a process that serves documents.
func storeEndpoints() []endpoint {
	return slices.Concat(accessEndpoints(), schemaEndpoints(), documentEndpoints(), historyEndpoints(), operationEndpoints(), workEndpoints(), webhookEndpoints())
}

func accessEndpoints() []endpoint {
	return []endpoint{
		get(api.Root, &method{handle: index, offers: resources, answer: anyAnswer, summary: "list the endpoints of this server"}),
		get(api.Health, &method{handle: livez, answer: anyAnswer, summary: "check whether the process is alive, for older clients"}),
		get(api.Access, &method{handle: getAccess, offers: resources, query: []string{"accessView", "right", "id"}, answer: anyAnswer,
			summary: "the principal of the caller, its rights, and the users and groups that have a right"}),
		get(api.Sessions, &method{handle: getSessions, offers: resources, answer: texts(itemsOf(sessionSchema())),
			summary: "list the sessions of the caller (uses of tokens and certificates), or of all principals if the caller may read everything"}),
		{http.MethodDelete, api.Session, &method{handle: deleteSession, code: http.StatusNoContent, summary: "end a session: refuse its token or certificate, and close its streams"}},
		get(api.Audit, &method{handle: getAudit, offers: resources, query: []string{"principal", "under", "kind", "auditAction", "from", "to", "auditOrder", "limit", "auditAfter"}, answer: anyAnswer,
			summary: "list audit records, if the server stores them"}),
		get(api.AuditVerification, &method{handle: getVerification, offers: resources, query: []string{"expect"}, answer: anyAnswer,
			summary: "verify that no stored audit record was changed, removed or inserted"}),
	}
}

func schemaEndpoints() []endpoint {
	return []endpoint{
		get(api.Schema, &method{handle: getSchema, ownAt: true, offers: resources, query: []string{"schemaVersion", "schemaAt", "If-Match", "If-None-Match"}, answer: anyAnswer,
			summary: "the ref-schema in force, compiled"}),
		get(api.SchemaVersions, &method{handle: getSchemaVersions, offers: resources, answer: texts(itemsOf(schemaVersionSchema())),
			summary: "the ref-schemas that are or were in force: since when, by whom, and what changed"}),
		post(api.SchemaImpact, &method{handle: postImpact, needs: []dovetail.Right{dovetail.RightRead}, everywhere: true, long: true, query: []string{"limit"},
			body: texts(refTo("schemas", "Sources")), answer: texts(impactSchema()), summary: "the effect of a new ref-schema on the stored documents"}),
		post(api.SchemaMigrate, &method{handle: postMigrate, needs: []dovetail.Right{dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete}, everywhere: true,
			long: true, unlimited: true, query: []string{"dryRun", messageHeader}, body: texts(migrationSchema()), answer: texts(migratedSchema()),
			summary: "change the stored documents by the steps of a migration, and put another ref-schema in force, in one transaction"}),
		get(api.SchemaKind, &method{handle: getSchemaKind, offers: resources, answer: anyAnswer, summary: "one kind of the ref-schema"}),
	}
}

func documentEndpoints() []endpoint {
	return []endpoint{
		get(api.Documents, &method{handle: listDocuments, past: true, view: true, offers: resources, long: true,
			query:  []string{"kind", "under", "labelSelector", "fieldSelector", "contains", "limit", "continue", "content", "view", "depth", "sealed"},
			answer: texts(pageOf(refTo("schemas", "Document"))), summary: "list all documents, of all kinds"}),
		post(api.Documents, &method{handle: importDocuments, needs: []dovetail.Right{dovetail.RightCreate}, query: []string{keyHeader, messageHeader},
			body: texts(object{"type": "array", "items": refTo("schemas", "Document")}), answer: batchAnswer, summary: "import exported documents"}),
		get(api.Search, &method{handle: getSearch, offers: resources, query: []string{"text", "kind", "limit"}, answer: texts(foundSchema()),
			summary: "search documents by name, best matches first, for search as you type"}),
		get(api.Authors, &method{handle: getAuthors, repeats: "id", offers: resources, query: []string{"authorIds"}, answer: texts(authorsSchema()),
			summary: "the last author of each of the given documents"}),
		get(api.Counts, &method{handle: getCounts, offers: resources, query: []string{"under"}, answer: texts(countsSchema()), summary: "the number of documents of each kind"}),
		get(api.Watch, &method{handle: (*requestContext).watch, unlimited: true, query: []string{"after", "Last-Event-ID"}, answer: object{"text/event-stream": eventsSchema()},
			summary: "stream all changes"}),
		post(api.Batch, &method{handle: postBatch, view: true, batch: true, needs: changes, query: []string{"dryRun", managedParameter, waitParameter, keyHeader, messageHeader},
			body: batchBody, answer: batchAnswer, summary: "execute several writes in one transaction"}),
		post(api.Rename, &method{handle: postRename, view: true, needs: changes, query: changeParameters, body: texts(renameSchema()), answer: batchAnswer,
			summary: "give a document and its descendants another id, and rewrite the references to them"}),
	}
}

func historyEndpoints() []endpoint {
	outcome := texts(refTo("schemas", "TransactionOutcome"))
	return []endpoint{
		get(api.Transactions, &method{handle: listTransactions, offers: resources, query: []string{"id", "under", "kind", "principal", "from", "to", "limit", "before"},
			answer: texts(transactionsSchema()), summary: "list transactions, newest first, with time, author and message"}),
		get(api.Transaction, &method{handle: getTransaction, offers: resources, answer: texts(refTo("schemas", "Transaction")), summary: "one transaction"}),
		post(api.Revert, &method{handle: postRevert, noBody: true, view: true, needs: changes, query: changeParameters, answer: batchAnswer, summary: "undo a transaction with a new one"}),
		post(api.Rollback, &method{handle: postRollback, view: true, needs: changes, query: changeParameters, body: texts(rollbackSchema()), answer: batchAnswer,
			summary: "restore the data and files of an earlier version of a document"}),
		get(api.IdempotencyKey, &method{handle: getOutcome, view: true, offers: resources, answer: outcome,
			summary: "the outcome of the caller's transaction with an idempotency key; 404 as long as none is committed"}),
		{http.MethodDelete, api.IdempotencyKey, &method{handle: abortTransaction, view: true, needs: changes, code: http.StatusOK, offers: resources, answer: outcome,
			summary: "ensure that the caller's transaction with an idempotency key is not committed later, and return its outcome"}},
	}
}

func operationEndpoints() []endpoint {
	binary := object{"schema": object{"type": "string", "format": "binary"}}
	return []endpoint{
		get(api.Scrub, &method{handle: getScrub, offers: resources, answer: texts(scrubSchema()), summary: "findings of the last scrub that still apply"}),
		get(api.System, &method{handle: getSystem, offers: resources, answer: texts(systemSchema()), summary: "the processes that serve the store: their leases, limits and load"}),
		get(api.Backup, &method{handle: getBackup, whole: true, past: true, unlimited: true, query: []string{"cleartext", "checkpoint"},
			answer: object{backup.MediaType: binary, checkpointType: binary}, summary: "stream a backup: all documents of one position, with the ref-schema"}),
		post(api.EncryptionRotate, &method{handle: postRotate, noBody: true, needs: []dovetail.Right{dovetail.RightUpdate}, everywhere: true, query: []string{"key"},
			answer: texts(rotationSchema()), summary: "begin or continue a rotation of the data keys of sensitive kinds"}),
	}
}

func workEndpoints() []endpoint {
	acts := []dovetail.Right{dovetail.RightAct}
	claimed := texts(object{"type": "object", "properties": object{"work": workSchema()}})
	return []endpoint{
		get(api.Work, &method{handle: getWork, repeats: "kind", offers: resources, long: true, query: []string{"kind"}, answer: texts(itemsOf(workSchema())),
			summary: "list the actions that wait for workers"}),
		post(api.WorkClaim, &method{handle: postClaim, long: true, needs: acts, query: []string{keyHeader, messageHeader}, body: texts(claimSchema()), answer: claimed, summary: "claim an action for a worker, for a limited time"}),
		post(api.WorkRenew, &method{handle: postRenew, needs: acts, query: []string{keyHeader}, body: texts(renewSchema()), answer: claimed, summary: "extend the claim of a worker"}),
		post(api.WorkFinish, &method{handle: postFinish, needs: acts, query: []string{keyHeader, messageHeader}, body: texts(finishSchema()), answer: texts(finishedSchema()), summary: "end the claim of a worker with the result of the action"}),
	}
}

func webhookEndpoints() []endpoint {
	return []endpoint{
		get(api.Webhooks, &method{handle: getWebhooks, offers: resources, answer: texts(itemsOf(webhookSchema())), summary: "list the webhook subscriptions and their state"}),
		get(api.DeadLetters, &method{handle: getDeadLetters, offers: resources, answer: texts(itemsOf(deadLetterSchema())),
			summary: "list the events that the receiver of a webhook did not accept"}),
		post(api.Redeliver, &method{handle: postRedeliver, needs: []dovetail.Right{dovetail.RightUpdate}, everywhere: true, code: http.StatusAccepted,
			body: texts(redeliverSchema()), answer: texts(queuedSchema()), summary: "redeliver dead letters of a webhook"}),
	}
}

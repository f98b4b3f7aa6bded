package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// getWork answers the actions that wait for workers, of all kinds or of some.
func getWork(x *requestContext) error {
	p, err := x.parameters("kind")
	if err != nil {
		return err
	}
	open, err := x.store.OpenWork(x.ctx, p["kind"]...)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"items": open}))
}

// postClaim lets a worker carry out the action of a document, or the oldest one of some kinds, null if there is none.
func postClaim(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	var id, worker string
	var kinds []string
	var during time.Duration
	err := x.readMembers(func(body decode.Field) {
		id, worker, during = body.Get("id").OptionalText(), body.Get("worker").Text(), seconds(body)
		kinds = body.Get("kinds").Texts("a kind")
		if id != "" && len(kinds) > 0 {
			body.Get("kinds").Fail("leave one of them out", "both id and kinds are given")
		}
	}, "id", "kinds", "worker", "seconds")
	if err != nil {
		return err
	}
	var claimed *store.Work
	if id == "" {
		claimed, err = x.store.ClaimAnyWork(x.ctx, kinds, worker, during, x.keyed())
	} else if _, err = dovetail.ParseID(id); err == nil {
		claimed, err = x.store.ClaimWork(x.ctx, dovetail.ID(id), worker, during, x.keyed())
	}
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"work": claimed}))
}

// postRenew extends a claim.
func postRenew(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	var id, token string
	var during time.Duration
	err := x.readMembers(func(body decode.Field) {
		id, token, during = body.Get("id").Text(), body.Get("token").Text(), seconds(body)
	}, "id", "token", "seconds")
	if err != nil {
		return err
	}
	if _, err := dovetail.ParseID(id); err != nil {
		return err
	}
	renewed, err := x.store.RenewWork(x.ctx, dovetail.ID(id), token, during, x.keyed())
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"work": renewed}))
}

// postFinish ends a claim with a result.
func postFinish(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	var id, token string
	var result store.WorkResult
	err := x.readMembers(func(body decode.Field) {
		id, token = body.Get("id").Text(), body.Get("token").Text()
		result.Failed, result.Message = body.Get("failed").Bool(), body.Get("message").OptionalText()
		if status := body.Get("status"); status.Value != nil {
			if status.Kind() != value.Map {
				status.WrongType("an object", "write the members that the status gets")
			}
			result.Status = status.Value
		}
	}, "id", "token", "failed", "message", "status")
	if err != nil {
		return err
	}
	if _, err := dovetail.ParseID(id); err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %t %q %s", id, token, result.Failed, result.Message, result.Status.JSON()))
	options := x.keyed()
	options.Request = "finish " + hex.EncodeToString(sum[:])
	doc, err := x.store.FinishWork(x.ctx, dovetail.ID(id), token, result, options)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"document": doc}))
}

// keyed returns the options of a write with the idempotency key and the message of the request.
func (x *requestContext) keyed() store.Options {
	return store.Options{Key: x.r.Header.Get(keyHeader), Message: x.r.Header.Get(messageHeader)}
}

// defaultClaim is how long a claim lasts for which the request does not say that.
const defaultClaim = time.Minute

// seconds reads how long a claim lasts.
func seconds(body decode.Field) time.Duration {
	if n := body.Get("seconds").Integer(1); n > 0 {
		return time.Duration(n) * time.Second
	}
	return defaultClaim
}

// workSchema describes a store.Work.
func workSchema() object {
	text, number, moment := object{"type": "string"}, object{"type": "integer", "minimum": 0}, object{"type": "string", "format": "date-time"}
	return object{"type": "object", "required": list{"id", "kind", "number", "action", "at"}, "properties": object{
		"id": text, "kind": text, "number": number, "action": text, "at": moment, "by": text, "body": object{"description": "the body of the request for the action; not in lists"},
		"state": object{"type": "string", "description": "the state after the action"}, "revision": number, "attempt": number,
		"later":  object{"type": "array", "items": text, "description": "later requested actions of the document"},
		"worker": text, "until": moment, "token": object{"type": "string", "description": "the token of the claim, only for the worker that made it"},
		"document": object{"type": "object", "description": "the document when the action was claimed"}}}
}

// request describes a body that has these members and no others.
func request(required list, properties object) object {
	described := record(required, properties)
	described["additionalProperties"] = false
	return described
}

// lastsSchema describes for how long a claim is held.
func lastsSchema() object {
	return object{"type": "integer", "minimum": 1, "maximum": store.MaxClaim / time.Second, "description": "the duration of the claim in seconds; default 60"}
}

func claimSchema() object {
	text := object{"type": "string"}
	return request(list{"worker"}, object{"worker": text, "id": text, "kinds": object{"type": "array", "items": text}, "seconds": lastsSchema()})
}

func renewSchema() object {
	text := object{"type": "string"}
	return request(list{"id", "token"}, object{"id": text, "token": text, "seconds": lastsSchema()})
}

func finishSchema() object {
	text := object{"type": "string"}
	return request(list{"id", "token"}, object{"id": text, "token": text, "failed": object{"type": "boolean"}, "message": text,
		"status": object{"type": "object", "description": "members to set in the status of the document"}})
}

func finishedSchema() object {
	return record(list{"document"}, object{"document": object{"type": "object"}})
}

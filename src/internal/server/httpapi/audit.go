package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// auditPage is a part of the records, in the order that is asked for.
type auditPage struct {
	Items []store.AuditRecord `json:"items"`
	After string              `json:"after,omitempty"` // goes into the next request; "" at the end
}

// The orders of records.
const (
	orderAscending  = "asc"
	orderDescending = "desc"
)

// getAudit answers who did what: ?principal=&under=&kind=&action=&from=&to=&order=&limit=&after=.
func getAudit(x *requestContext) error {
	p, err := x.parameters("principal", "under", "kind", "action", "from", "to", "order", "limit", "after")
	if err != nil {
		return err
	}
	q := store.AuditQuery{Principal: p.text("principal"), Kind: p.text("kind"), Action: store.AuditAction(p.text("action")), After: p.text("after")}
	if actions := store.AuditActions(); p.has("action") && !slices.Contains(actions, q.Action) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no action \"" + p.text("action") + "\"", Remedy: fmt.Sprintf("give one of %v", actions)}
	}
	switch order := p.text("order"); {
	case order == orderDescending:
		q.Newest = true
	case p.has("order") && order != orderAscending:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "order is \"" + order + "\"", Remedy: "use " + orderAscending + ", oldest first, or " + orderDescending + ", newest first"}
	}
	if p.has("under") {
		if q.Under, err = dovetail.ParseID(p.text("under")); err != nil {
			return err
		}
	}
	if err := x.checkFormerKind(q.Kind); err != nil {
		return err
	}
	if q.From, err = p.time("from"); err != nil {
		return err
	}
	if q.To, err = p.time("to"); err != nil {
		return err
	}
	limit, err := p.pageSize()
	if err != nil {
		return err
	}
	page := auditPage{Items: []store.AuditRecord{}}
	for record, err := range x.api.store.Records(x.ctx, q) {
		if err != nil {
			return err
		}
		if len(page.Items) == limit {
			page.After = page.Items[limit-1].ID
			break
		}
		page.Items = append(page.Items, record)
	}
	return x.answer(http.StatusOK, encodeJSON(page))
}

// checkFormerKind is checkKind for kinds that there were at some time, too: records of them are kept.
func (x *requestContext) checkFormerKind(name string) error {
	unknown := x.checkKind(name)
	if unknown == nil {
		return nil
	}
	versions, err := x.api.store.SchemaVersions(x.ctx)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if slices.ContainsFunc(v.Changes, func(d schema.Difference) bool { return d.Kind == name }) {
			return nil
		}
	}
	return unknown
}

// getVerification verifies the records that are kept: ?expect=NUMBER:HASH,...
func getVerification(x *requestContext) error {
	p, err := x.parameters("expect")
	if err != nil {
		return err
	}
	expect := make(map[uint64]string)
	if p.has("expect") {
		for _, text := range strings.Split(p.text("expect"), ",") {
			number, hash, _ := strings.Cut(text, ":")
			n, err := strconv.ParseUint(number, 10, 64)
			if digits, wrong := hex.DecodeString(hash); err != nil || wrong != nil || len(digits) != sha256.Size {
				return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "expect is \"" + text + "\"", Remedy: "give the number of a block, a colon and its hash of 64 hexadecimal digits"}
			}
			expect[n] = hash
		}
	}
	verification, err := x.api.store.VerifyRecords(x.ctx, expect)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(verification))
}

// time reads a moment, zero if there is none.
func (p parameters) time(name string) (time.Time, error) {
	if !p.has(name) {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, p.text(name)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: name + " is \"" + p.text(name) + "\"", Remedy: "give a time as 2026-11-21T12:00:00Z, or a day as 2026-11-21"}
}

package client

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/store"
)

// VerifyRecords has the server verify the hash chain of its audit records, as store.Store.VerifyRecords does.
func (c *Client) VerifyRecords(ctx context.Context, expect map[uint64]string) (*store.AuditVerification, error) {
	query := url.Values{}
	var expected []string
	for _, number := range slices.Sorted(maps.Keys(expect)) {
		expected = append(expected, strconv.FormatUint(number, 10)+":"+expect[number])
	}
	if len(expected) > 0 {
		query.Set("expect", strings.Join(expected, ","))
	}
	answer := new(store.AuditVerification)
	return answer, c.call(ctx, request{method: http.MethodGet, path: api.AuditVerification, query: query}, answer)
}

// Records yields the audit records of the server, as store.Store.Records does.
func (c *Client) Records(ctx context.Context, q store.AuditQuery) iter.Seq2[store.AuditRecord, error] {
	return func(yield func(store.AuditRecord, error) bool) {
		query := url.Values{}
		set := func(name, text string) {
			if text != "" {
				query.Set(name, text)
			}
		}
		set("principal", q.Principal)
		set("under", string(q.Under))
		set("kind", q.Kind)
		set("action", string(q.Action))
		set("after", q.After)
		if q.Newest {
			set("order", "desc")
		}
		if !q.From.IsZero() {
			set("from", q.From.UTC().Format(time.RFC3339))
		}
		if !q.To.IsZero() {
			set("to", q.To.UTC().Format(time.RFC3339))
		}
		for {
			var page struct {
				Items []store.AuditRecord `json:"items"`
				After string              `json:"after"`
			}
			if err := c.call(ctx, request{method: http.MethodGet, path: api.Audit, query: query}, &page); err != nil {
				yield(store.AuditRecord{}, err)
				return
			}
			for _, record := range page.Items {
				if !yield(record, nil) {
					return
				}
			}
			if page.After == "" {
				return
			}
			query.Set("after", page.After)
		}
	}
}

package layering_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/store"
)

// inBucket writes documents as the content of a bucket in the body of a PUT of several.
func inBucket(bucket string, documents ...string) string {
	text := "  " + bucket + ":\n"
	if len(documents) == 0 {
		text = "  " + bucket + ": []\n"
	}
	for _, d := range documents {
		d = strings.TrimSpace(strings.TrimPrefix(d, "---\n"))
		text += "  - " + strings.ReplaceAll(d, "\n", "\n    ") + "\n"
	}
	return text
}

func TestPutBuckets(t *testing.T) {
	const url = "/api/v1.0/buckets"
	source, reader := kind("source", "site", "data: {a: 1}\n"), kind("x", "site", reads)
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		for _, test := range []struct {
			name, body string
			header     []string
			status     int
			says       string            // in the answer
			then       map[string]string // the buckets of documents afterwards
		}{
			{name: "moves a document", body: "ifRevision: 1\nbuckets:\n" + inBucket("a", policy) + inBucket("b", reader, source), status: 200,
				then: map[string]string{"layering-policy": "a", "source": "b", "x": "b"}},
			{name: "exchanges documents", body: "buckets:\n" + inBucket("a", reader) + inBucket("b", source, policy), status: 200,
				then: map[string]string{"layering-policy": "b", "source": "b", "x": "a"}},
			{name: "empties a bucket", body: "buckets:\n" + inBucket("a", policy, source) + inBucket("b"), status: 200,
				then: map[string]string{"layering-policy": "a", "source": "a"}},
			{name: "a document of a bucket that is not given", body: "buckets:\n" + inBucket("c", source), status: 409, says: "DuplicateDocumentExists"},
			{name: "a document twice", body: "buckets:\n" + inBucket("a", policy, source) + inBucket("b", reader, source), status: 409, says: "duplicate document"},
			{name: "a source that others need", body: "buckets:\n" + inBucket("a", policy), status: 409, says: "DocumentInUse"},
			{name: "an older revision", body: "ifRevision: 0\nbuckets:\n" + inBucket("b"), status: 412, says: "the newest revision is 1, not 0"},
			{name: "a revision that is no number", body: "ifRevision: one\nbuckets:\n" + inBucket("b"), status: 400, says: "ifRevision"},
			{name: "a misspelt member", body: "ifRevison: 0\nbuckets:\n" + inBucket("b"), status: 400, says: "did you mean ifRevision?"},
			{name: "no buckets", body: "ifRevision: 1\n", status: 400, says: "buckets"},
			{name: "an empty map", body: "buckets: {}\n", status: 400, says: "buckets is empty"},
			{name: "no list", body: "buckets: {b: {}}\n", status: 400, says: "list"},
			{name: "two maps", body: "buckets: {b: []}\n---\nbuckets: {a: []}\n", status: 400, says: "2 YAML documents"},
			{name: "a broken document", body: "buckets: {b: [{schema: 1}]}\n", status: 400, says: "InvalidDocumentFormat"},
			{name: "buckets that changed", header: []string{"If-Match", `"0"`}, body: "buckets:\n" + inBucket("b"), status: 412, says: "the bucket b has changed"},
		} {
			t.Run(test.name, func(t *testing.T) {
				s := newServer(t, open(t))
				s.must(200, "PUT", url, "ifRevision: 0\nbuckets:\n"+inBucket("a", policy, source)+inBucket("b", reader))
				for _, query := range []string{"?dryRun=true", ""} {
					if a := s.must(test.status, "PUT", url+query, test.body, test.header...); !strings.Contains(a.text, test.says) {
						t.Errorf("%q: %s", query, a.text)
					}
				}
				if test.then == nil {
					s.must(404, "GET", "/api/v1.0/revisions/2", "")
					return
				}
				got := make(map[string]string)
				for _, d := range s.must(200, "GET", "/api/v1.0/revisions/2/documents", "").documents {
					got[d.At("metadata", "name").Text] = d.At("status", "bucket").Text
				}
				for name, bucket := range test.then {
					if got[name] != bucket {
						t.Errorf("%s is in %q, want %q", name, got[name], bucket)
					}
				}
				if len(got) != len(test.then) {
					t.Errorf("%v", got)
				}
				s.must(200, "GET", "/api/v1.0/revisions/2/rendered-documents", "")
				s.must(404, "GET", "/api/v1.0/revisions/3", "")
				s.fsck()
			})
		}
	})
}

func TestPutBucketWithPrecondition(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		for _, test := range []struct {
			name, bucket, header, value string
			status                      int
		}{
			{name: "the newest revision", bucket: bucketA, header: "If-Match", value: `"3"`, status: 200},
			{name: "a revision since which another bucket changed", bucket: bucketA, header: "If-Match", value: `"2"`, status: 200},
			{name: "a revision since which it changed", bucket: bucketA, header: "If-Match", value: `"1"`, status: 412},
			{name: "one of several", bucket: bucketA, header: "If-Match", value: `"1", "3"`, status: 200},
			{name: "a revision that is not there", bucket: bucketA, header: "If-Match", value: `"9"`, status: 412},
			{name: "a foreign tag", bucket: bucketA, header: "If-Match", value: `"abc-1"`, status: 412},
			{name: "a weak tag", bucket: bucketA, header: "If-Match", value: `W/"3"`, status: 412},
			{name: "any", bucket: bucketA, header: "If-Match", value: "*", status: 200},
			{name: "any of none", bucket: bucketC, header: "If-Match", value: "*", status: 412},
			{name: "a bucket as it was, without documents", bucket: bucketC, header: "If-Match", value: `"1"`, status: 200},
			{name: "only a new one", bucket: bucketA, header: "If-None-Match", value: "*", status: 412},
			{name: "a new one", bucket: bucketC, header: "If-None-Match", value: "*", status: 200},
		} {
			t.Run(test.name, func(t *testing.T) {
				s := newServer(t, open(t))
				for i, put := range []struct{ bucket, body string }{{bucketA, policy}, {bucketA, policy + kind("one", "site", "data: 1\n")}, {bucketB, kind("two", "site", "data: 2\n")}} {
					if a := s.must(200, "PUT", put.bucket, put.body); a.header.Get("ETag") != `"`+string(rune('1'+i))+`"` {
						t.Errorf("PUT %d: the version is %s", i+1, a.header.Get("ETag"))
					}
				}
				body := kind("three", "site", "data: 3\n")
				if test.bucket == bucketA {
					body += policy
				}
				s.must(test.status, "PUT", test.bucket+"?dryRun=true", body, test.header, test.value)
				a := s.must(test.status, "PUT", test.bucket, body, test.header, test.value)
				if test.status == 412 && a.class() != "HTTPPreconditionFailed" {
					t.Error(a.text)
				}
			})
		}
	})
}

// Of writers that changed the same revision one gets through.
func TestPutBucketsOfOneRevisionTogether(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketA, policy)
		var written, refused atomic.Int32
		var all sync.WaitGroup
		for _, name := range []string{"a1", "a2", "a3", "a4", "a5", "a6"} {
			all.Go(func() {
				switch a := s.send("PUT", "/api/v1.0/buckets", "ifRevision: 1\nbuckets:\n"+inBucket(name, kind(name, "site", "data: {}\n"))); a.status {
				case 200:
					written.Add(1)
				case 412:
					refused.Add(1)
				default:
					t.Errorf("%s: %d %s", name, a.status, a.text)
				}
			})
		}
		all.Wait()
		if written.Load() != 1 || refused.Load() != 5 {
			t.Errorf("%d were written, %d refused", written.Load(), refused.Load())
		}
		s.must(404, "GET", "/api/v1.0/revisions/3", "")
	})
}

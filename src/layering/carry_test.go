package layering_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
)

// stagingServer serves layered documents in the store and in its change sets.
func stagingServer(t *testing.T) *server {
	t.Helper()
	s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}, "ref-schemas/v1.yaml", "../internal/secret/keyring/ref-schemas/v1.yaml", "../changeset/ref-schemas/v1.yaml")
	o := layering.Options{Keys: newKeys(t)}
	sets := changeset.New(s, changeset.Options{Carriers: map[string]changeset.Carrier{layering.ServiceName: {Kinds: layering.CarriedKinds, Carry: layering.Carry(o)}}})
	service := layering.New(s, o).Service()
	service.At = func(then *store.Store) httpapi.Service { return layering.New(then, o).Service() }
	return &server{t: t, store: s, keys: o.Keys, http: apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{service, sets.Service()}, ChangeSet: sets.View})}
}

// TestMergedChangeSets puts documents in two change sets and the store, and merges: each is one revision more, which has what the others have.
func TestMergedChangeSets(t *testing.T) {
	const bucket, edge = "/api/v1.0/buckets/site/documents", "/api/v1.0/buckets/edge/documents"
	site := func(a, b string) string {
		return kind("a", "site", "data: {x: "+a+"}\n") + kind("b", "site", "data: {x: "+b+"}\n")
	}
	secret := func(name, text string) string {
		return strings.NewReplacer("password", name, "swordfish", text).Replace(secretDocument)
	}
	const placeOfA = "layeringBucket/site/layeringSchema/example%2FKind%2Fv1/layeringLayer/site/layeredDocument/a"
	// take resolves the conflict on the document a.
	take := func(side string) string {
		return `{"resolve":[{"id":"` + placeOfA + `","path":"","take":"` + side + `"}]}`
	}
	type step struct {
		method, path, body string
		status             int
	}
	merge := func(name string, status int) step {
		return step{"POST", "/api/change-sets/" + name + "/merge", "", status}
	}
	for _, test := range []struct {
		name  string
		steps []step
		last  int    // the newest revision
		want  string // of it, documents and values
	}{
		{name: "of different buckets", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, {"PUT", edge + "?changeSet=two", kind("e", "site", "data: {x: 9}\n"), 200},
			merge("one", 200), merge("two", 200)}, last: 4, want: "a=2 b=1 e=9"},
		{name: "of one bucket", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, {"PUT", bucket + "?changeSet=two", site("1", "3"), 200},
			merge("one", 200), merge("two", 200)}, last: 4, want: "a=2 b=3"},
		{name: "of one document", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, {"PUT", bucket + "?changeSet=two", site("3", "1"), 200},
			merge("one", 200), {"GET", "/api/change-sets/two/check", "", 200}, merge("two", 409), {"POST", "/api/change-sets/two/rebase", "", 409}}, last: 3, want: "a=2 b=1"},
		{name: "of one document, taken as staged", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, {"PUT", bucket + "?changeSet=two", site("3", "1"), 200},
			merge("one", 200), {"POST", "/api/change-sets/two/rebase", take("staged"), 200}, merge("two", 200)}, last: 4, want: "a=3 b=1"},
		{name: "of one document, taken as stored", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, {"PUT", bucket + "?changeSet=two", site("3", "4"), 200},
			merge("one", 200), {"POST", "/api/change-sets/two/rebase", take("now"), 200}, merge("two", 200)}, last: 4, want: "a=2 b=4"},
		{name: "of one document, deleted", steps: []step{
			{"PUT", bucket + "?changeSet=one", kind("a", "site", "data: {x: 1}\n"), 200}, {"PUT", bucket + "?changeSet=two", site("1", "7"), 200},
			merge("one", 200), merge("two", 409)}, last: 3, want: "a=1"},
		{name: "as the store has it", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, {"PUT", bucket, site("2", "1"), 200}, merge("one", 200)}, last: 3, want: "a=2 b=1"},
		{name: "rebased", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, {"PUT", edge, kind("e", "site", "data: {x: 9}\n"), 200},
			{"POST", "/api/change-sets/one/rebase", "", 200}, merge("one", 200)}, last: 4, want: "a=2 b=1 e=9"},
		{name: "the first secrets", steps: []step{
			{"PUT", edge + "?changeSet=one", secret("e", "staged"), 200}, {"PUT", bucket, site("1", "1") + secret("s", "stored"), 200},
			merge("one", 200)}, last: 4, want: "a=1 b=1 e=staged s=stored"},
		{name: "reverted", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, merge("one", 200), {"PUT", edge, kind("e", "site", "data: {x: 9}\n"), 200},
			{"POST", "/api/change-sets/one/revert", "", 201}, merge("revert-one", 200)}, last: 5, want: "a=1 b=1 e=9"},
		{name: "reverted, changed since", steps: []step{
			{"PUT", bucket + "?changeSet=one", site("2", "1"), 200}, merge("one", 200), {"PUT", bucket, site("3", "1"), 200},
			{"POST", "/api/change-sets/one/revert", "", 409}}, last: 4, want: "a=3 b=1"},
		{name: "what cannot be carried", steps: []step{
			{"POST", "/api/v1.0/revisions/1/tags/t?changeSet=one", "", 400}, {"DELETE", "/api/v1.0/revisions?changeSet=one", "", 400},
			{"POST", "/api/v1.0/revisions/1/validations/v?changeSet=one", "status: success\nvalidator: {name: v, version: '1'}\n", 400}}, last: 2, want: "a=1 b=1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := stagingServer(t)
			s.must(200, "PUT", "/api/v1.0/buckets/global/documents", policy)
			s.must(200, "PUT", bucket, site("1", "1"))
			for _, name := range []string{"one", "two"} {
				s.must(201, "POST", "/api/change-sets", "name: "+name+"\n", "Content-Type", "application/yaml")
			}
			for _, step := range test.steps {
				s.must(step.status, step.method, step.path, step.body)
			}
			last := strconv.Itoa(test.last)
			if a := s.send("GET", "/api/v1.0/revisions/"+strconv.Itoa(test.last+1), ""); a.status != 404 {
				t.Errorf("there is a revision more: %s", a.text)
			}
			var have []string
			for _, d := range s.must(200, "GET", "/api/v1.0/revisions/"+last+"/rendered-documents?cleartext-secrets=true&sort=metadata.name", "").documents {
				name, _ := d.At("metadata", "name").Str()
				if text, is := d.Get("data").Str(); is {
					have = append(have, name+"="+text)
				} else if x := d.At("data", "x"); x != nil {
					have = append(have, name+"="+string(x.JSON()))
				}
			}
			if got := strings.Join(have, " "); got != test.want {
				t.Errorf("revision %s has %s, want %s", last, got, test.want)
			}
			s.fsck()
		})
	}
}

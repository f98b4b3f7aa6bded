package layering_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/history"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// recording makes a history by hand: each write is a revision.
type recording struct {
	t       *testing.T
	history history.History
	row     int
	now     time.Time
}

func newRecording(t *testing.T) *recording {
	r := &recording{t: t, now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	r.history.Buckets = []history.Bucket{{Name: "b", Created: r.now}}
	return r
}

// write records a revision that writes documents, or takes away those that begin with a minus.
func (r *recording) write(number int, documents ...string) {
	r.t.Helper()
	r.now = r.now.Add(time.Minute)
	of := history.Revision{Number: number, Created: r.now}
	for _, text := range documents {
		text, gone := strings.CutPrefix(text, "-")
		values, err := yaml.Parse("", []byte(text), value.Limits{})
		if err != nil {
			r.t.Fatal(err)
		}
		d, err := rendering.Restore(values[0])
		if err != nil {
			r.t.Fatal(err)
		}
		r.row++
		row := history.Row{Number: r.row, ID: d.ID, Bucket: "b", Since: number, Document: d, Content: text, Created: r.now}
		if gone {
			row.Document = nil
		}
		of.Rows = append(of.Rows, row)
	}
	r.history.Revisions = append(r.history.Revisions, of)
}

func (r *recording) report(name, status string) {
	of := &r.history.Revisions[len(r.history.Revisions)-1]
	of.Reports = append(of.Reports, history.Report{Name: name, Created: r.now.Add(time.Duration(len(of.Reports)) * time.Second),
		Result: value.NewMap(value.Member{Name: "status", Value: value.NewString(status)}, value.Member{Name: "validator", Value: value.NewMap()})})
}

// serve takes the history over into a store, and serves it with the profile deckhand.
func (r *recording) serve(s *store.Store) *server {
	r.t.Helper()
	o := layering.Options{Keys: newKeys(r.t), Profile: rendering.ProfileDeckhand}
	documents, err := layering.New(s, o).TakeOver(r.t.Context(), &r.history)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := s.Import(r.t.Context(), documents, store.Options{}); err != nil {
		r.t.Fatal(err)
	}
	if documents, err := layering.New(s, o).TakeOver(r.t.Context(), &r.history); err != nil || len(documents) > 0 {
		r.t.Fatal("it is not there: ", len(documents), err)
	}
	return serve(r.t, s, o)
}

const orderPolicy = "{schema: deckhand/LayeringPolicy/v1, metadata: {schema: metadata/Control/v1, name: order}, data: {layerOrder: [top, site]}}"

func recorded(name, more string) string {
	return "{schema: a/B/v1, metadata: {schema: metadata/Document/v1, name: " + name + ", layeringDefinition: {layer: site}" + more + "}, data: {n: " + name + "}}"
}

func validationPolicy(name, validation string) string {
	return "{schema: deckhand/ValidationPolicy/v1, metadata: {schema: metadata/Control/v1, name: " + name + "}, data: {validations: [{name: " + validation + "}]}}"
}

// TestGapsInNumbers takes over revisions whose numbers have gaps, more of them than one index is put together from.
func TestGapsInNumbers(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		r := newRecording(t)
		r.write(3, orderPolicy, recorded("x", ""))
		r.write(5, recorded("y", ""))
		for number := 8; number < 150; number++ {
			r.write(number, recorded("z", fmt.Sprintf(", labels: {l: '%d'}", number)))
		}
		r.write(160, "-"+recorded("y", ""))
		s := r.serve(newStore(t, open(t)))
		s.fsck()
		s.must(404, "GET", "/api/v1.0/revisions/4", "")
		for number, want := range map[int]int{3: 2, 5: 3, 8: 4, 149: 4, 160: 3} {
			path := fmt.Sprintf("/api/v1.0/revisions/%d/rendered-documents", number)
			if a := s.must(200, "GET", path, ""); len(a.documents) != want {
				t.Errorf("revision %d has %d documents, want %d", number, len(a.documents), want)
			}
		}
		s.must(200, "PUT", "/api/v1.0/buckets/c/documents", recorded("w", ", storagePolicy: cleartext"))
		if a := s.must(200, "GET", "/api/v1.0/revisions/161/documents", ""); len(a.documents) != 4 {
			t.Error(a.text)
		}
	})
}

func TestOtherHistory(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		r := newRecording(t)
		r.write(1, orderPolicy, recorded("x", ""))
		s := r.serve(newStore(t, open(t)))
		o := layering.Options{Keys: s.keys, Profile: rendering.ProfileDeckhand}
		r.write(2, recorded("y", ""))
		if _, err := layering.New(s.store, o).TakeOver(t.Context(), &r.history); dovetail.CodeOf(err) != dovetail.CodeConflict {
			t.Error(err)
		}
		other := newRecording(t)
		other.write(1, orderPolicy, recorded("x", ", labels: {a: b}"))
		if _, err := layering.New(s.store, o).TakeOver(t.Context(), &other.history); dovetail.CodeOf(err) != dovetail.CodeConflict {
			t.Error(err)
		}
	})
}

// TestDeckhandValidations pins how Deckhand counts validations.
func TestDeckhandValidations(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		r := newRecording(t)
		r.write(1, orderPolicy)
		r.report("good", "success")
		r.report("mixed", "success") // and it fails later, so that it is not listed here
		r.write(2, recorded("x", ""))
		r.report("mixed", "failure")
		r.write(3, validationPolicy("p", "good"), validationPolicy("q", "never"))
		r.report("good", "success")
		r.report("extra", "success")
		r.write(4, "-"+validationPolicy("p", "good"))
		s := r.serve(newStore(t, open(t)))
		for path, want := range map[string]string{
			"1/validations": `{"count":1,"results":[{"name":"good","status":"success"}]}`,
			"2/validations": `{"count":1,"results":[{"name":"mixed","status":"failure"}]}`,
			"3/validations": `{"count":3,"results":[{"name":"extra","status":"ignored [success]"},{"name":"good","status":"success"},{"name":"never","status":"failure"}]}`,
			"4/validations": `{"count":0,"results":[]}`,
		} {
			if got := s.must(200, "GET", "/api/v1.0/revisions/"+path, "").one(t).JSON(); string(got) != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		}
		details := s.must(200, "GET", "/api/v1.0/revisions/3/validations/detail", "").one(t).Get("results").Items
		if len(details) != 3 || details[1].Get("status").Text != "ignored [success]" || len(details[1].Get("errors").Items) != 2 || details[2].Get("id").Text != "2" {
			t.Errorf("%s", value.NewList(details...).JSON())
		}
		// The rows of policies are numbered: order 1, x 2, p 3, q 4, and the one that takes p away.
		for number, want := range map[int]string{
			3: `[{"name":"p","status":"unknown","url":"https://deckhand/api/v1.0/revisions/3"},{"name":"q","status":"unknown","url":"https://deckhand/api/v1.0/revisions/4"}]`,
			4: `[{"name":"p","status":"unknown","url":"https://deckhand/api/v1.0/revisions/5"}]`,
		} {
			if got := s.must(200, "GET", fmt.Sprintf("/api/v1.0/revisions/%d", number), "").one(t).Get("validationPolicies").JSON(); string(got) != want {
				t.Errorf("revision %d: %s, want %s", number, got, want)
			}
		}
	})
}

// TestDeckhandOrder pins the order of rendered documents: linked ones first, each after what it is made of, and the others by their
// first creation, even if they were gone in between.
func TestDeckhandOrder(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		from := func(name string) string {
			return ", substitutions: [{src: {schema: a/B/v1, name: " + name + ", path: .n}, dest: {path: .m}}]"
		}
		r := newRecording(t)
		r.write(1, recorded("lone", ""), orderPolicy, recorded("c", from("b")), recorded("b", from("a")), recorded("d", from("a")), recorded("a", ""))
		r.write(2, "-"+recorded("lone", ""), recorded("last", ""))
		r.write(3, recorded("lone", ""))
		s := r.serve(newStore(t, open(t)))
		for number, want := range map[int]string{1: "a b d c lone order", 2: "a b d c order last", 3: "a b d c lone order last"} {
			var names []string
			for _, d := range s.must(200, "GET", fmt.Sprintf("/api/v1.0/revisions/%d/rendered-documents", number), "").documents {
				names = append(names, d.At("metadata", "name").Text)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("revision %d: %s, want %s", number, got, want)
			}
		}
	})
}

// TestDeckhandDeepDiff pins that a deep diff goes from the first revision to the second.
func TestDeckhandDeepDiff(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		r := newRecording(t)
		r.write(1, orderPolicy, recorded("x", ", labels: {a: old}"))
		r.write(2, recorded("x", ", labels: {a: new}"))
		s := r.serve(newStore(t, open(t)))
		at := []string{"b diff", "document_changed", "details", "('a/B/v1', 'x')", "metadata_changed", "values_changed", "root['labels']['a']", "new_value"}
		for path, want := range map[string]string{"1/deepdiff/2": "new", "2/deepdiff/1": "old"} {
			if got := s.must(200, "GET", "/api/v1.0/revisions/"+path, "").one(t).At(at...); got == nil || got.Text != want {
				t.Errorf("%s: %v, want %s", path, got, want)
			}
		}
	})
}

package doctor

import (
	"context"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"crypto/rand"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
)

// freshURI is that of a database of the server for tests, which is dropped afterwards.
func freshURI(t *testing.T) string {
	t.Helper()
	mongotest.Skip(t)
	uri, err := url.Parse(os.Getenv(mongotest.Variable))
	if err != nil {
		t.Fatal(err)
	}
	uri.Path = "/dovetail_test_" + strings.ToLower(rand.Text())
	t.Cleanup(func() {
		all := mustConnect(t, uri.String(), 1)
		if _, err := all[0].run(context.Background(), bson.D{{Key: "dropDatabase", Value: 1}}); err != nil {
			t.Error(err)
		}
	})
	return uri.String()
}

func mustConnect(t *testing.T, uri string, n int) []*connection {
	t.Helper()
	all, err := connect(uri, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range all {
			c.close(context.Background())
		}
	})
	return all
}

// TestServer examines the server for tests: all that is required holds, and nothing is left of it.
func TestServer(t *testing.T) {
	t.Parallel()
	uri := freshURI(t)
	for _, tt := range []struct {
		name    string
		options Options
		want    int // checks
	}{
		{"in full", Options{}, len(checks)},
		{"quick", Options{Quick: true}, len(checks) - slowChecks()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			results, err := Examine(t.Context(), uri, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if err := Failure(results); err != nil {
				t.Error(err)
			}
			if len(results) != tt.want {
				t.Errorf("%d results, want %d", len(results), tt.want)
			}
			for _, r := range results {
				if r.Holds == (r.Effect != "") || r.Detail == "" {
					t.Errorf("the result says too little or too much: %+v", r)
				}
				t.Logf("%-16s required %-5v holds %-5v %v: %s", r.Name, r.Required, r.Holds, r.Took, r.Detail)
			}
		})
	}
	left, err := mustConnect(t, uri, 1)[0].run(t.Context(), bson.D{{Key: "listCollections", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if found := batch(left); len(found) != 0 {
		t.Errorf("the examination left %v", found)
	}
}

func slowChecks() int {
	return len(slices.DeleteFunc(slices.Clone(checks), func(c check) bool { return c.quick }))
}

// TestAbandoned has an examination remove what an earlier one left that did not end, and nothing else.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	uri := freshURI(t)
	c := mustConnect(t, uri, 1)[0]
	now := time.Now()
	old, recent := scratchName(now.Add(-2*time.Hour)), scratchName(now)
	for _, name := range []string{old, recent, "doctor_notes", "documents"} {
		if err := c.insert(t.Context(), name, id("x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Examine(t.Context(), uri, Options{}); err != nil {
		t.Fatal(err)
	}
	raw, err := c.run(t.Context(), bson.D{{Key: "listCollections", Value: 1}, {Key: "nameOnly", Value: true}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, found := range batch(raw) {
		names = append(names, found.Lookup("name").StringValue())
	}
	slices.Sort(names)
	if want := []string{recent, "doctor_notes", "documents"}; !slices.Equal(names, want) {
		t.Errorf("left are %q, want %q", names, want)
	}
}

// TestNoServer examines where nothing can be examined.
func TestNoServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, uri string
		want      dovetail.Code
	}{
		{"nothing listens", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100", dovetail.CodeUnavailable},
		{"no connection string", "mongodb://", dovetail.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Examine(t.Context(), tt.uri, Options{}); dovetail.CodeOf(err) != tt.want {
				t.Errorf("%v, want code %s", err, tt.want)
			}
		})
	}
}

// TestConcern examines connection strings whose writes wait for less.
func TestConcern(t *testing.T) {
	for _, tt := range []struct {
		name       string
		w          string
		replicated bool
		holds      bool
	}{
		{"of a majority", "majority", true, true},
		{"of one of several", "1", true, false},
		{"of the only one", "1", false, true},
		{"of none", "0", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &scratch{clients: []client{silent{w: tt.w}}, facts: facts{replicated: tt.replicated}}
			if _, err := acknowledged(t.Context(), s); (err == nil) != tt.holds {
				t.Errorf("%v, want that it holds: %v", err, tt.holds)
			}
		})
	}
}

// silent is a server that does what it is asked, and answers nothing.
type silent struct {
	client
	w string
}

func (s silent) concern() string                               { return s.w }
func (s silent) run(context.Context, bson.D) (bson.Raw, error) { return nil, nil }

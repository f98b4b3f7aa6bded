package app

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
)

// TestDoctor examines the server for tests by the command line.
func TestDoctor(t *testing.T) {
	t.Parallel()
	uri := freshMongo(t).String()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"in full", nil, "many-writes"},
		{"quick", []string{"--quick"}, "unique-insert"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := command(t, 0, "", append([]string{"doctor", "--store", uri}, tt.args...)...)
			if !strings.Contains(got, tt.want) || !strings.Contains(got, "all that Dovetail requires holds") {
				t.Errorf("the examination says\n%s", got)
			}
		})
	}
}

// TestServeExamines starts a server on a database whose connection string breaks the promises.
func TestServeExamines(t *testing.T) {
	t.Parallel()
	uri := freshMongo(t)
	query := uri.Query()
	query.Set("w", "0")
	uri.RawQuery = query.Encode()
	config, err := Load(map[string]string{"store": uri.String(), "listen": "127.0.0.1:0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), config, io.Discard)
	if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), "w=0") {
		t.Errorf("it was started: %v", err)
	}
}

// TestRaiseProtocol starts a server on a store that an earlier version made, and raises the level of it.
func TestRaiseProtocol(t *testing.T) {
	t.Parallel()
	uri := freshMongo(t)
	_, err := mongotest.Database(t, uri).Collection("commits").InsertOne(t.Context(), bson.M{"_id": "_identity", "name": "made by an earlier version"})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, map[string]string{"store": uri.String()})
	ask := func(path string) string {
		t.Helper()
		_, body := server.call(t, http.MethodGet, path, "")
		return body
	}
	for _, tt := range []struct {
		name, shown, want string
	}{
		{"readiness", ask("/readyz"), "level 1 of 2: raise it with `dovetail doctor --raise-protocol`"},
		{"system", ask("/v2/system"), `"protocol":{"level":1,"newest":2}`},
		{"level", ask("/metrics"), "\ndovetail_store_protocol_level 1\n"},
		{"newest level", ask("/metrics"), "\ndovetail_store_protocol_newest_level 2\n"},
		{"doctor", command(t, 0, "", "doctor", "--quick", "--store", uri.String()), "level 1 of 2; running processes: 1"},
		{"raised", command(t, 0, "", "doctor", "--raise-protocol", "--store", uri.String()), "the protocol level was raised from 1 to 2"},
		{"doctor of what is raised", command(t, 0, "", "doctor", "--quick", "--store", uri.String()), "level 2 of 2; running processes: 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(tt.shown, tt.want) {
				t.Errorf("it does not show %s:\n%s", tt.want, tt.shown)
			}
		})
	}
}

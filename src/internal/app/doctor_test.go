package app

import (
	"io"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
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

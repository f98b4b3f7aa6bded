package cli_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// serve passes on exactly what was given: what was not may come from elsewhere.
func TestServe(t *testing.T) {
	var got map[string]string
	deps := cli.Deps{Settings: app.Settings(), Serve: func(_ context.Context, given map[string]string) error {
		got = given
		return nil
	}}
	for _, test := range []struct {
		name, command string
		want          map[string]string
	}{
		{"nothing", "dovetail serve", map[string]string{}},
		{"the default, but given", "dovetail serve --log-level info", map[string]string{"log-level": "info"}},
		{"several", "dovetail serve --listen :1 --config=c.yaml --references warn",
			map[string]string{"listen": ":1", "config": "c.yaml", "references": "warn"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, errs, code := runCommand(t.Context(), t, deps, test.command); code != 0 || !maps.Equal(got, test.want) {
				t.Errorf("got %v (%d %s), want %v", got, code, errs, test.want)
			}
		})
	}
	deps.Serve = func(context.Context, map[string]string) error {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "cannot listen", Remedy: "name another address"}
	}
	_, errs, code := runCommand(t.Context(), t, deps, "dovetail serve")
	if errs != "error: cannot listen\n  name another address\n" || code != cli.ExitUnavailable {
		t.Errorf("got %q, %d", errs, code)
	}
	if _, _, code := runCommand(t.Context(), t, deps, "dovetail serve here"); code != cli.ExitUsage {
		t.Errorf("got %d", code)
	}
}

// A gateway knows some of the settings of a server.
func TestGateway(t *testing.T) {
	var settings map[string]string
	var behind []string
	deps := cli.Deps{Settings: app.Settings(), Gateway: func(_ context.Context, given map[string]string, servers []string) error {
		settings, behind = given, servers
		return nil
	}}
	_, errs, code := runCommand(t.Context(), t, deps, "dovetail gateway --log-format json http://a http://b")
	if code != 0 || !maps.Equal(settings, map[string]string{"log-format": "json"}) || !slices.Equal(behind, []string{"http://a", "http://b"}) {
		t.Errorf("got %v and %v (%d %s)", settings, behind, code, errs)
	}
	if _, errs, code = runCommand(t.Context(), t, deps, "dovetail gateway --store bolt:x http://a"); code != cli.ExitUsage || !strings.Contains(errs, "--store") {
		t.Errorf("a gateway with a store: %d %s", code, errs)
	}
}

func TestVersion(t *testing.T) {
	out, _, code := runCommand(t.Context(), t, cli.Deps{}, "dovetail version -o json")
	if code != 0 || !strings.Contains(out, `"go": "go`) {
		t.Errorf("got %d %s", code, out)
	}
	if out, _, _ := runCommand(t.Context(), t, cli.Deps{}, "dovetail version"); !strings.HasPrefix(out, "dovetail ") {
		t.Errorf("got %s", out)
	}
	for _, test := range []struct {
		name  string
		build cli.Build
		want  string
	}{
		{"released", cli.Build{Version: "v1.2.0", Go: "go1.26"}, "v1.2.0 go1.26"},
		{"from a repository", cli.Build{Version: "(devel)", Revision: "0123456789abcdef", Modified: true, Time: "2026-03-01T12:00:00Z", Go: "go1.26"},
			"(devel) (0123456789ab with changes 2026-03-01T12:00:00Z) go1.26"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.build.String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

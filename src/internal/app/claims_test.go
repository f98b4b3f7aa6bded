package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/store"
)

// claimKinds are devices with unique serials, and cables with ports of their own, at sites.
const claimKinds = `name: claims
resources:
- name: site
- name: port
  parent: site
- name: device
  parent: site
  unique: [spec.serial]
- name: cable
  parent: site
  references:
  - {name: port, at: spec.a, exclusive: true}
  - {name: port, at: spec.b, exclusive: true}
`

// problem409 is what is read of the answer to a write that claims what another document has.
type problem409 struct {
	Status       int
	Code, Reason string
	Detail       string
	BlockedBy    struct {
		IDs        []string
		Total      int
		Unreadable bool
	}
}

// TestClaimsOverREST refuses what another document has to itself, by every way of writing, and names the other one to those
// only who may read it.
func TestClaimsOverREST(t *testing.T) {
	t.Parallel()
	file, tokens := accessFile(t, `roles:
- name: own
  rules:
  - {kinds: [device, cable, port], verbs: [read, create, update, delete]}
bindings:
- {role: editor, users: [root]}
- {role: own, users: [ann], on: [site/q/*]}
`, "root", "ann")
	schemas := newConfigMap(t, map[string]string{"schema.yaml": claimKinds})
	server := start(t, map[string]string{"ref-schemas": schemas.dir, "access": file})
	as := func(who string, status int, method, path, body string) string {
		t.Helper()
		got, header, text := server.as(t, tokens[who], method, path, body)
		if got != status {
			t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
		}
		if kind := header.Get("Content-Type"); status == 409 && kind != "application/problem+json" {
			t.Errorf("%s %s answers %s", method, path, kind)
		}
		return text
	}
	device := func(name string, serial int) string {
		return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"serial":%d}}`, name, serial)
	}
	cable := func(name, a, b string) string {
		return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"a":{"site":"s","port":%q},"b":{"site":"s","port":%q}}}`, name, a, b)
	}
	for _, path := range []string{"s", "q"} {
		as("root", 201, "POST", "/v2/sites", named(path))
	}
	for _, port := range []string{"1", "2", "3"} {
		as("root", 201, "POST", "/v2/sites/s/ports", named(port))
	}
	as("root", 201, "POST", "/v2/sites/s/devices", device("hidden", 17))
	as("root", 201, "POST", "/v2/sites/q/devices", device("own", 18))
	as("root", 201, "POST", "/v2/sites/s/cables", cable("x", "1", "2"))
	for _, test := range []struct {
		name, who, method, path, body, reason string
		blocker                               string // "" for one that may not be read
	}{
		{"create", "root", "POST", "/v2/sites/q/devices", device("d", 17), "NOT_UNIQUE", "site/s/device/hidden"},
		{"a holder that may not be read", "ann", "POST", "/v2/sites/q/devices", device("d", 17), "NOT_UNIQUE", ""},
		{"its own", "ann", "POST", "/v2/sites/q/devices", device("d", 18), "NOT_UNIQUE", "site/q/device/own"},
		{"a port", "root", "POST", "/v2/sites/s/cables", cable("y", "3", "1"), "TAKEN", "site/s/cable/x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := as(test.who, 409, test.method, test.path, test.body)
			var p problem409
			decode(t, text, &p)
			if p.Status != 409 || p.Code != "conflict" || p.Reason != test.reason {
				t.Errorf("it says %s", text)
			}
			if test.blocker == "" {
				if len(p.BlockedBy.IDs) > 0 || p.BlockedBy.Total > 0 || !p.BlockedBy.Unreadable || strings.Contains(text, "hidden") {
					t.Errorf("it says who has the value: %s", text)
				}
			} else if len(p.BlockedBy.IDs) != 1 || p.BlockedBy.IDs[0] != test.blocker || p.BlockedBy.Total != 1 {
				t.Errorf("blocked by %+v, want %s", p.BlockedBy, test.blocker)
			}
		})
	}
}

// TestClaimsInGit has files pushed that give two documents a value which only one may have: the store stays as it is and says
// why, until they are corrected.
func TestClaimsInGit(t *testing.T) {
	t.Parallel()
	schema := strings.Replace(builtIn(t), "  - name: siteParamSet\n", "  - name: siteParamSet\n    unique: [spec.parameters.a]\n", 1)
	if !strings.Contains(schema, "unique: [spec.parameters.a]") {
		t.Fatal("the built-in ref-schema has no siteParamSet")
	}
	schemas := newConfigMap(t, map[string]string{"schema.yaml": schema})
	remote := gittest.New(t, map[string]string{ownFile: paramSetFile("own", "mine"), otherFile: paramSetFile("other", "theirs")})
	server := withGit(t, remote, map[string]string{"ref-schemas": schemas.dir, "instance-repo-interval": "50ms"})
	other := func() string { return server.must(t, 200, "GET", "/v2/param-sets/other", "") }
	eventually(t, "the files are followed", func() bool {
		status, _ := server.call(t, "GET", "/v2/param-sets/other", "")
		return status == 200
	})

	head := remote.Head()
	if text := server.must(t, 409, "PATCH", "/v2/param-sets/other", `{"spec":{"parameters":{"a":"mine"}}}`); !strings.Contains(text, store.ReasonNotUnique) {
		t.Errorf("a write that takes the value of another says %s", text)
	}
	if now := remote.Head(); now != head {
		t.Errorf("the refused write moved the repository from %s to %s", head, now)
	}

	remote.Push("taken", map[string]string{otherFile: paramSetFile("other", "mine")})
	eventually(t, "the log says why the commit is not followed", func() bool {
		return strings.Contains(server.logs.String(), "siteParamSet/other cannot be stored: spec.parameters.a is unique, and siteParamSet/own has the same")
	})
	if text := other(); !strings.Contains(text, `"theirs"`) {
		t.Errorf("the refused commit is stored: %s", text)
	}
	remote.Push("exchanged", map[string]string{ownFile: paramSetFile("own", "free"), otherFile: paramSetFile("other", "mine")})
	eventually(t, "the corrected files are followed", func() bool { return strings.Contains(other(), `"mine"`) })
	server.fsck(t)
}

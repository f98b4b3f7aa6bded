package app

import (
	"strings"
	"testing"
)

const kubernetesPath = "/apis/inventory.dovetail.dev/v1"

// TestKubernetesListsAreGuarded: a namespace in which the caller may read is empty where nothing is in it, without the right to read the
// parent, and only those who may read a parent learn whether it exists.
func TestKubernetesListsAreGuarded(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file, "log-level": "error"})
	for _, name := range []string{"c1", "c2"} {
		if status, _, text := server.as(t, tokens["root"], "POST", "/v2/clusters", named(name)); status != 201 {
			t.Fatal(status, text)
		}
	}
	const lacks = `there is no namespace \"c9\"`
	for _, tt := range []struct {
		name, who, namespace string
		status               int
		warns                string
	}{
		{name: "below a parent that she may not read", who: "ann", namespace: "c1", status: 200},
		{name: "below a parent below which she may read nothing", who: "ann", namespace: "c2", status: 403},
		{name: "below no parent, which she is not told", who: "ann", namespace: "c9", status: 403},
		{name: "for a user who may read nothing", who: "norole", namespace: "c1", status: 403},
		{name: "for a user who may read nothing, below no parent", who: "norole", namespace: "c9", status: 403},
		{name: "for a reader", who: "reader", namespace: "c1", status: 200},
		{name: "for a reader, below no parent", who: "reader", namespace: "c9", status: 200, warns: lacks},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, header, text := server.as(t, tokens[tt.who], "GET", kubernetesPath+"/namespaces/"+tt.namespace+"/environments", "")
			if status != tt.status || status == 200 && !strings.Contains(text, `"items":[]`) {
				t.Errorf("%d %s", status, text)
			}
			if got := header.Get("Warning"); !strings.Contains(got, tt.warns) || (tt.warns == "") != (got == "") {
				t.Errorf("it warns %q, want %q", got, tt.warns)
			}
		})
	}
}

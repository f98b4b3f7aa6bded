package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// The command line client of the older system, as it speaks on the wire: bodies without a length,
// parts without a content type, no Accept, an empty name beside the real one.
func TestOlderClient(t *testing.T) {
	s := newEMCO(t)
	url := s.listen().URL
	send := func(method, path, contentType string, body io.Reader, want int) string {
		t.Helper()
		if body != nil {
			body = io.MultiReader(body) // of unknown length: the client sends it in chunks
		}
		r, err := http.NewRequest(method, url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want {
			t.Fatalf("%s %s: got %d, want %d: %s", method, path, resp.StatusCode, want, text)
		}
		return string(text)
	}
	post := func(path, body string) {
		t.Helper()
		send("POST", path, "application/json", strings.NewReader(body), 201)
	}
	upload := func(path, data string, files ...file) {
		t.Helper()
		body, contentType := form(t, append([]file{{name: "metadata", data: data}}, files...)...)
		send("POST", path, contentType, strings.NewReader(body), 201)
	}
	const (
		clusters = "/v2/cluster-providers/provider_1/clusters"
		app      = "/v2/projects/proj_1/composite-apps/my_app/v1"
		group    = app + "/deployment-intent-groups/dig_1"
	)
	post("/v2/controllers", `{"metadata":{"name":"gac"},"spec":{"host":"gac.emco","port":9033}}`)
	post("/v2/clm-controllers", `{"metadata":{"name":"gac"},"spec":{}}`)
	post("/v2/cluster-providers", `{"metadata":{"name":"provider_1","description":"","userData1":"","userData2":""}}`)
	upload(clusters, `{"metadata":{"name":"edge_1"}}`, file{name: "file", filename: "kubeconfig", data: "apiVersion: v1\n"})
	post(clusters+"/edge_1/labels", `{"metadata":{"name":""},"clusterLabel":"east"}`)
	post("/v2/projects", `{"metadata":{"name":"proj_1"}}`)
	post("/v2/projects/proj_1/logical-clouds", `{"metadata":{"name":"lc_1"},"spec":{"namespace":"ns"}}`)
	post("/v2/projects/proj_1/logical-clouds/lc_1/cluster-references", `{"metadata":{"name":"ref_1"},"spec":{"clusterProvider":"provider_1","cluster":"edge_1"}}`)
	post("/v2/projects/proj_1/composite-apps", `{"metadata":{"name":"my_app"},"spec":{"compositeAppVersion":"v1"}}`)
	upload(app+"/apps", `{"metadata":{"name":"nginx"}}`, file{name: "file", filename: "nginx.tgz", data: "\x1f\x8b\x00"})
	post(app+"/composite-profiles", `{"metadata":{"name":"profile_1"}}`)
	upload(app+"/composite-profiles/profile_1/profiles", `{"metadata":{"name":"p"},"spec":{"app":"nginx"}}`, file{name: "file", filename: "p.tgz", data: "x"})
	post(app+"/deployment-intent-groups", `{"metadata":{"name":"dig_1"},"spec":{"compositeProfile":"profile_1","version":"r1","logicalCloud":"lc_1"}}`)
	post(group+"/intents", `{"metadata":{"name":"i"},"spec":{"intent":{"gac":"x","genericPlacementIntent":"y"}}}`)
	upload(group+"/generic-k8s-intents", `{"metadata":{"name":"k"}}`)
	upload(group+"/generic-k8s-intents/k/resources", `{"metadata":{"name":"cm"},"spec":{"app":"nginx"}}`)
	upload(group+"/generic-k8s-intents/k/resources/cm/customizations", `{"metadata":{"name":"c"},"spec":{"clusterInfo":{"clusterProvider":"provider_1"}}}`,
		file{name: "files", filename: "a.json", data: "{}"}, file{name: "files", filename: "b.json", data: "{}"})

	send("POST", group+"/instantiate", "", nil, 409) // which is not approved
	send("POST", "/v2/projects/proj_1/logical-clouds/lc_1/instantiate", "", nil, 202)
	send("POST", group+"/approve", "application/json", strings.NewReader(`{"metadata":{"name":""}}`), 202)
	send("POST", group+"/instantiate", "", strings.NewReader(""), 202)
	send("POST", group+"/update", "", nil, 202)
	if got := send("GET", group+"/status?type=cluster", "", nil, 200); !strings.Contains(got, `{"action":"instantiate"`) {
		t.Errorf("status: %s", got)
	}
	if got := send("GET", app+"/apps", "", nil, 200); got != `[{"metadata":{"name":"nginx"}}]` {
		t.Errorf("apps: %s", got)
	}
	if got := send("GET", clusters+"/edge_1/labels/east", "", nil, 200); got != `{"metadata":{"name":""},"clusterLabel":"east"}` {
		t.Errorf("label: %s", got)
	}
	if got := send("DELETE", app+"/apps/nginx", "", nil, 409); !strings.Contains(got, "genericResource/cm") || !strings.Contains(got, "appProfile/p") {
		t.Errorf("in use: %s", got)
	}
	send("DELETE", group, "", nil, 409) // which is instantiated
	send("POST", group+"/terminate", "", nil, 202)
	send("POST", "/v2/projects/proj_1/logical-clouds/lc_1/terminate", "", nil, 409) // to which the group refers
	for _, path := range []string{
		group + "/generic-k8s-intents/k/resources/cm/customizations/c", group + "/generic-k8s-intents/k/resources/cm", group + "/generic-k8s-intents/k",
		group + "/intents/i", group,
	} {
		send("DELETE", path, "", nil, 204)
	}
	send("POST", "/v2/projects/proj_1/logical-clouds/lc_1/terminate", "", nil, 202)
	for _, path := range []string{
		app + "/composite-profiles/profile_1/profiles/p", app + "/composite-profiles/profile_1", app + "/apps/nginx", app,
		"/v2/projects/proj_1/logical-clouds/lc_1/cluster-references/ref_1", "/v2/projects/proj_1/logical-clouds/lc_1", "/v2/projects/proj_1",
		clusters + "/edge_1/labels/east", clusters + "/edge_1", "/v2/cluster-providers/provider_1", "/v2/controllers/gac", "/v2/clm-controllers/gac",
	} {
		send("DELETE", path, "", nil, 204)
	}
}

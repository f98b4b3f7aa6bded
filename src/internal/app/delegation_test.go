package app

import (
	"context"
	"crypto/tls"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// delegating is a server whose users are those of a cluster, which says what they may do.
type delegating struct {
	*secured
	cluster *kubernetes
	client  *http.Client
}

func startDelegating(t *testing.T) *delegating {
	t.Helper()
	front := newTestCA(t, "front")
	cluster := newKubernetes(t)
	cluster.set(func() { cluster.proxies = asProxies(front, `["aggregator"]`) })
	flags := cluster.flags(t)
	flags["subject-access-review"] = "on"
	d := &delegating{secured: startProxied(t, flags), cluster: cluster}
	own := front.issue(t, pkix.Name{CommonName: "aggregator"}, time.Now().Add(time.Hour))
	d.client = d.secured.client(t, &own)
	return d
}

// do sends a request of a user of the cluster, in the group users.
func (d *delegating) do(t *testing.T, user, method, path, body string) (int, string) {
	t.Helper()
	request := d.request(t, method, path, body)
	request.Header.Set("X-Remote-User", user)
	request.Header.Set("X-Remote-Group", "users")
	request.Header.Set("X-Remote-Extra-Example.org%2fScopes", "some")
	response, err := d.client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// root sends a request with a token of the access policy file, which the cluster is not asked about.
func (d *delegating) root(t *testing.T, method, path, body string) {
	t.Helper()
	request := d.request(t, method, path, body)
	request.Header.Set("Authorization", "Bearer "+d.tokens["root"])
	response, err := d.secured.client(t, (*tls.Certificate)(nil)).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d", method, path, response.StatusCode)
	}
}

// fill makes clusters c1 and c2, with two environments each.
func (d *delegating) fill(t *testing.T) {
	for _, cluster := range []string{"c1", "c2"} {
		d.root(t, "POST", "/v2/clusters", fmt.Sprintf(`{"metadata":{"name":%q}}`, cluster))
		for _, environment := range []string{"e1", "e2"} {
			d.root(t, "POST", "/v2/clusters/"+cluster+"/environments", fmt.Sprintf(`{"metadata":{"name":%q}}`, environment))
		}
	}
}

// clusterRule is RBAC in short: verbs, and the attributes that a rule is for; "" is any.
type clusterRule struct{ user, verbs, group, resource, namespace, name string }

func (r clusterRule) allows(user string, about map[string]any) bool {
	text := func(name string) string {
		text, _ := about[name].(string)
		return text
	}
	return r.user == user && slices.Contains(strings.Split(r.verbs, " "), text("verb")) && (r.group == "" || r.group == text("group")) && (r.resource == "" || r.resource == text("resource")) &&
		(r.namespace == "" || r.namespace == text("namespace")) && (r.name == "" || r.name == text("name"))
}

const inventoryGroup = "inventory.dovetail.dev"

// The cluster decides what its users may read and write, through REST and through the Kubernetes API.
func TestDelegatedRights(t *testing.T) {
	d := startDelegating(t)
	d.fill(t)
	rules := []clusterRule{
		{user: "admin", verbs: "get list create update delete"},
		{user: "reader", verbs: "get list", group: inventoryGroup, resource: "environments"},
		{user: "lister", verbs: "list", group: inventoryGroup, resource: "environments"},
		{user: "east", verbs: "get list create patch", group: inventoryGroup, resource: "environments", namespace: "c1"},
		{user: "one", verbs: "get delete", group: inventoryGroup, resource: "environments", namespace: "c1", name: "e1"},
	}
	d.cluster.set(func() {
		d.cluster.allows = func(user string, about map[string]any) bool {
			return slices.ContainsFunc(rules, func(r clusterRule) bool { return r.allows(user, about) })
		}
	})
	const kube = "/apis/inventory.dovetail.dev/v1"
	tests := []struct {
		name, user, method, path, body string
		status                         int
		says                           []string
		not                            string
	}{
		{name: "reads all of a kind", user: "reader", method: "GET", path: "/v2/documents?kind=environment", status: 200, says: []string{"cluster/c1/environment/e1", "cluster/c2/environment/e2"}},
		{name: "and no other", user: "reader", method: "GET", path: "/v2/documents?kind=cluster", status: 200, says: []string{`"items":[]`}},
		{name: "through the Kubernetes API", user: "reader", method: "GET", path: kube + "/environments", status: 200, says: []string{`"namespace":"c1"`, `"namespace":"c2"`}},
		{name: "list alone", user: "lister", method: "GET", path: kube + "/environments", status: 200, says: []string{`"namespace":"c1"`, `"namespace":"c2"`}},
		{name: "one namespace", user: "east", method: "GET", path: kube + "/environments", status: 200, says: []string{`"namespace":"c1"`}, not: `"namespace":"c2"`},
		{name: "the other one", user: "east", method: "GET", path: kube + "/namespaces/c2/environments/e1", status: 403, says: []string{"k8s:east may not read cluster/c2/environment/e1"}},
		{name: "one object", user: "one", method: "GET", path: kube + "/namespaces/c1/environments", status: 200, says: []string{`"name":"e1"`}, not: `"name":"e2"`},
		{name: "the object", user: "one", method: "GET", path: kube + "/namespaces/c1/environments/e1", status: 200},
		{name: "nothing", user: "nobody", method: "GET", path: kube + "/environments", status: 200, says: []string{`"items":[]`}},
		{name: "create", user: "east", method: "POST", path: kube + "/namespaces/c1/environments", body: `{"apiVersion":"inventory.dovetail.dev/v1","kind":"Environment","metadata":{"name":"new"}}`, status: 201},
		{name: "create elsewhere", user: "east", method: "POST", path: kube + "/namespaces/c2/environments", body: `{"apiVersion":"inventory.dovetail.dev/v1","kind":"Environment","metadata":{"name":"new"}}`, status: 403},
		{name: "create by a reader", user: "reader", method: "POST", path: "/v2/clusters/c1/environments", body: `{"metadata":{"name":"more"}}`, status: 403, says: []string{"k8s:reader may not create"}},
		{name: "patch", user: "east", method: "PATCH", path: "/v2/clusters/c1/environments/e1", body: `{"metadata":{"labels":{"a":"b"}}}`, status: 200},
		{name: "delete of what may be patched", user: "east", method: "DELETE", path: "/v2/clusters/c1/environments/e1", status: 403},
		{name: "delete of the object", user: "one", method: "DELETE", path: kube + "/namespaces/c1/environments/e1", status: 200},
		{name: "a cascade over what may not be deleted", user: "one", method: "DELETE", path: "/v2/clusters/c1?cascade=true", status: 403},
		{name: "an export", user: "reader", method: "GET", path: "/v2/backup", status: 403},
		{name: "everything", user: "admin", method: "GET", path: "/v2/documents", status: 200, says: []string{"cluster/c1", "cluster/c2/environment/e2"}},
		{name: "metrics", user: "reader", method: "GET", path: "/metrics", status: 403},
		{name: "the namespace controller deletes nothing", user: "system:serviceaccount:kube-system:namespace-controller", method: "DELETE", path: kube + "/namespaces/c2/environments", status: 200},
		{name: "and sees nothing", user: "system:serviceaccount:kube-system:namespace-controller", method: "GET", path: kube + "/namespaces/c2/environments", status: 200, says: []string{`"items":[]`}},
	}
	rules = append(rules, clusterRule{user: "system:serviceaccount:kube-system:namespace-controller", verbs: "get list delete deletecollection"})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, text := d.do(t, tt.user, tt.method, tt.path, tt.body)
			missing := slices.ContainsFunc(tt.says, func(part string) bool { return !strings.Contains(text, part) })
			if status != tt.status || missing || tt.not != "" && strings.Contains(text, tt.not) {
				t.Errorf("got %d %s, want %d with %q, without %q", status, text, tt.status, tt.says, tt.not)
			}
		})
	}
	d.cluster.set(func() {
		if got := fmt.Sprint(d.cluster.lastReview["groups"], d.cluster.lastReview["extra"]); got != "[users] map[example.org/scopes:[some]]" {
			t.Errorf("the cluster is asked about %s", got)
		}
	})
	if status, text := d.do(t, "admin", "GET", kube+"/namespaces/c2/environments", ""); status != 200 || strings.Count(text, `"kind":"Environment"`) != 2 {
		t.Errorf("what the namespace controller left: %d %s", status, text)
	}
}

// A cluster that does not say what a user may do is a named error for whatever the user asks, and never an answer that lacks something.
func TestDelegatedRightsWithoutCluster(t *testing.T) {
	d := startDelegating(t)
	d.fill(t)
	d.cluster.set(func() { d.cluster.broken = true })
	for _, tt := range []struct{ name, method, path, body string }{
		{name: "a document", method: "GET", path: "/v2/clusters/c1"},
		{name: "a list", method: "GET", path: "/v2/documents"},
		{name: "a kind", method: "GET", path: "/v2/clusters"},
		{name: "history", method: "GET", path: "/v2/clusters/c1/environments/e1?view=history"},
		{name: "a write", method: "POST", path: "/v2/clusters", body: `{"metadata":{"name":"new"}}`},
		{name: "a deletion", method: "DELETE", path: "/v2/clusters/c1/environments/e1"},
		{name: "a backup", method: "GET", path: "/v2/backup"},
		{name: "whether something is allowed", method: "GET", path: "/v2/access?right=read&id=cluster/c1"},
		{name: "an object", method: "GET", path: "/apis/inventory.dovetail.dev/v1/clusters/c1"},
		{name: "a list of objects", method: "GET", path: "/apis/inventory.dovetail.dev/v1/environments"},
		{name: "a watch of objects", method: "GET", path: "/apis/inventory.dovetail.dev/v1/environments?watch=true"},
		{name: "a patch of an object", method: "DELETE", path: "/apis/inventory.dovetail.dev/v1/namespaces/c1/environments/e1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, text := d.do(t, "ann", tt.method, tt.path, tt.body)
			if status != http.StatusServiceUnavailable || !strings.Contains(text, "the Kubernetes API server does not answer, so that rights cannot be checked") {
				t.Errorf("%d %s", status, text)
			}
		})
	}
	d.root(t, "GET", "/v2/clusters/c1", "") // of which the cluster knows nothing
	d.cluster.set(func() {
		d.cluster.broken = false
		d.cluster.allows = func(string, map[string]any) bool { return true }
	})
	if status, text := d.do(t, "ann", "GET", "/v2/clusters/c1", ""); status != 200 {
		t.Errorf("when it answers again: %d %s", status, text)
	}
}

// A request that would take too many questions is refused, and names the way out.
func TestDelegatedRightsAreBounded(t *testing.T) {
	d := startDelegating(t)
	var batch strings.Builder
	for n := range 120 {
		fmt.Fprintf(&batch, `,{"kind":"cluster","metadata":{"name":"c%d"}}`, n)
	}
	d.root(t, "POST", "/v2/batch", "["+batch.String()[1:]+"]")
	status, text := d.do(t, "ann", "GET", "/v2/clusters", "")
	if status != http.StatusForbidden || !strings.Contains(text, "more than 200 namespaces and documents") {
		t.Errorf("%d %s", status, text)
	}
	d.cluster.set(func() {
		if d.cluster.asked > 210 {
			t.Errorf("%d questions of one request", d.cluster.asked)
		}
	})
	if status, text := d.do(t, "ann", "GET", "/v2/clusters/c1", ""); status != http.StatusForbidden || !strings.Contains(text, "may not read cluster/c1") {
		t.Errorf("the next request: %d %s", status, text)
	}
}

// A watch of a user whose rights cannot be checked any more ends.
func TestDelegatedRightsOfWatches(t *testing.T) {
	t.Parallel()
	d := startDelegating(t)
	d.fill(t)
	d.cluster.set(func() {
		d.cluster.allows = func(_ string, about map[string]any) bool { return about["resource"] == "clusters" }
	})
	ctx, cancel := context.WithTimeout(t.Context(), apptest.Patience)
	defer cancel()
	request := d.request(t, "GET", "/apis/inventory.dovetail.dev/v1/clusters?watch=true", "").WithContext(ctx)
	request.Header.Set("X-Remote-User", "ann")
	response, err := d.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	d.cluster.set(func() { d.cluster.broken = true })
	ended := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(response.Body)
		ended <- string(text)
	}()
	for n := 0; ; n++ { // until what is remembered of the cluster has expired
		select {
		case text := <-ended:
			if !strings.Contains(text, `"name":"c1"`) {
				t.Errorf("the watch told %s", text)
			}
			return
		case <-time.After(time.Second):
			d.root(t, "POST", "/v2/clusters", fmt.Sprintf(`{"metadata":{"name":"n%d"}}`, n))
		}
	}
}

package kubeapi_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// BenchmarkReads compares reads with those of REST, in turns: of documents with the same content in both, and of those that have field managers, which
// REST leaves out.
func BenchmarkReads(b *testing.B) {
	const managed = group + "/namespaces/p2/apps"
	s := apitest.NewStore(b, apitest.OpenBolt(b), store.Config{}, "testdata/shop.yaml")
	server := apitest.Serve(b, s, httpapi.Options{Services: []httpapi.Service{kubeapi.New(s, time.Now).Service()}})
	serve := func(path string) {
		response, err := http.Get(server.URL + path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
			b.Fatal(response.Status, err)
		}
		response.Body.Close()
	}
	server.Must(201, "POST", group+"/projects", `{"metadata":{"name":"p1"}}`)
	server.Must(201, "POST", group+"/projects", `{"metadata":{"name":"p2"}}`)
	for i := range 500 {
		data := fmt.Sprintf(`{"metadata":{"name":"a%d","labels":{"tier":"front","team":"web"}},"spec":{"replicas":%d,"image":"registry.example/a:1","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}}`, i, i)
		server.Must(201, "POST", "/v2/projects/p1/apps", data)
		server.Must(201, "POST", managed, data)
	}
	for _, c := range []struct{ name, rest, kubernetes string }{
		{"get", "/v2/projects/p1/apps/a7", apps + "/a7"},
		{"list", "/v2/projects/p1/apps", apps},
		{"page", "/v2/projects/p1/apps?limit=100", apps + "?limit=100"},
		{"get with managers", "/v2/projects/p2/apps/a7", managed + "/a7"},
		{"list with managers", "/v2/projects/p2/apps", managed},
	} {
		b.Run(c.name, func(b *testing.B) {
			var rest, kubernetes time.Duration
			for b.Loop() {
				start := time.Now()
				serve(c.rest)
				middle := time.Now()
				serve(c.kubernetes)
				rest, kubernetes = rest+middle.Sub(start), kubernetes+time.Since(middle)
			}
			b.ReportMetric(rest.Seconds()/kubernetes.Seconds(), "of-rest")
		})
	}
}

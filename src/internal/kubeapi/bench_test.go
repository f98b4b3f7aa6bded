package kubeapi_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apitest"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/kubeapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// BenchmarkReads compares reads with those of REST, in turns.
func BenchmarkReads(b *testing.B) {
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
	for i := range 500 {
		server.Must(201, "POST", apps, fmt.Sprintf(`{"metadata":{"name":"a%d","labels":{"tier":"front","team":"web"}},"spec":{"replicas":%d,"image":"registry.example/a:1","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}}`, i, i))
	}
	for _, c := range []struct{ name, rest, kubernetes string }{
		{"get", "/v2/projects/p1/apps/a7", apps + "/a7"},
		{"list", "/v2/projects/p1/apps", apps},
		{"page", "/v2/projects/p1/apps?limit=100", apps + "?limit=100"},
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

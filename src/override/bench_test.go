package override_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
)

// BenchmarkOverride reads and writes overrides over HTTP on a bolt database, with 16 clients that each have an
// application of their own.
func BenchmarkOverride(b *testing.B) {
	const clients = 16
	url := serve(b, newStore(b, apitest.OpenBolt(b), overridetest.Inventory()), override.Options{}) + overrides
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	client := &http.Client{Transport: transport}
	defer transport.CloseIdleConnections()
	send := func(method, url, body string, want int, header ...string) string {
		request, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return ""
		}
		for i := 0; i < len(header); i += 2 {
			request.Header.Set(header[i], header[i+1])
		}
		response, err := client.Do(request)
		if err != nil {
			b.Error(err)
			return ""
		}
		defer response.Body.Close()
		if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != want {
			b.Errorf("%d: %s: %v", response.StatusCode, text, err)
		}
		return response.Header.Get("Etag")
	}
	versions := make([]string, clients)
	application := func(i int) string { return fmt.Sprintf("app-%d", i) }
	for i := range clients {
		versions[i] = send("POST", url, body("deploy", "env-01-core", application(i), `{"LEVEL":"info"}`), http.StatusCreated)
	}
	run := func(name string, one func(i int, n int64)) {
		b.Run(name, func(b *testing.B) {
			var next, n atomic.Int64
			b.SetParallelism(clients / 2)
			b.RunParallel(func(pb *testing.PB) {
				i := int(next.Add(1)-1) % clients
				for pb.Next() {
					one(i, n.Add(1))
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
	run("GET", func(i int, _ int64) {
		send("GET", url+"?environmentId=cluster-01/env-01&context=deploy&namespaceName=env-01-core&applicationName="+application(i), "", http.StatusOK)
	})
	run("PUT", func(i int, n int64) {
		send("PUT", url, body("deploy", "env-01-core", application(i), fmt.Sprintf(`{"LEVEL":"%d"}`, n)), http.StatusOK, "If-Match", "*")
	})
}

// BenchmarkExplain explains a stored effective set of 10,000 leaves, a tenth of them overridden, in the service and
// over HTTP.
func BenchmarkExplain(b *testing.B) {
	var file strings.Builder
	for i := range 100 {
		fmt.Fprintf(&file, "group-%d:\n", i)
		for j := range 100 {
			fmt.Fprintf(&file, "  PARAMETER_%d: ${creds.get('%d').password}\n", j, i*j)
		}
	}
	files := overridetest.Inventory()
	files["environments/cluster-01/env-01/effective-set/pipeline/parameters.yaml"] = file.String()
	s := newStore(b, apitest.OpenBolt(b), files)
	c := newClient(b, override.Stored{Store: s}, override.Options{})
	groups := make([]string, 10)
	for i := range groups {
		groups[i] = fmt.Sprintf("%q:{", fmt.Sprintf("group-%d", i))
		for j := range 100 {
			groups[i] += fmt.Sprintf("%q:%d,", fmt.Sprintf("PARAMETER_%d", j), j)
		}
		groups[i] = strings.TrimSuffix(groups[i], ",") + "}"
	}
	c.must("POST", overrides, "", body("pipeline", "", "", "{"+strings.Join(groups, ",")+"}"))
	const path, query = "/api/effective-set", "environmentId=cluster-01/env-01&context=pipeline&view=explain"
	b.Run("service", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if reply := c.must("GET", path, query, ""); reply.Body == nil {
				b.Fatal("nothing")
			}
		}
	})
	b.Run("HTTP", func(b *testing.B) {
		url := serve(b, s, override.Options{}) + path + "?" + query
		for b.Loop() {
			request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, http.NoBody)
			if err != nil {
				b.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.Copy(io.Discard, response.Body)
			if response.Body.Close(); err != nil || n < 1_000_000 {
				b.Fatal(n, err)
			}
		}
	})
}

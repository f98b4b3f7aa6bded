package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/value"
)

var familyLine = regexp.MustCompile(`(?m)^# TYPE (\S+) \S+$`)

// families returns the names of a server's metrics.
func (r *running) families(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, m := range familyLine.FindAllStringSubmatch(r.must(t, 200, "GET", "/metrics", ""), -1) {
		names[m[1]] = true
	}
	return names
}

// everything is a server that does all that there are metrics for.
func everything(t *testing.T) *running {
	t.Helper()
	schemas := newConfigMap(t, map[string]string{"schema.yaml": builtIn(t)})
	remote := gittest.New(t, apptest.InstanceFiles())
	server := start(t, map[string]string{"ref-schemas": schemas.dir, "instance-repo": remote.Dir, "log-level": "error", "webhooks": webhooksFile(t, "https://127.0.0.1:1/")})
	server.must(t, 200, "GET", "/v2/clusters", "")
	return server
}

func builtIn(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../ref-schemas/dovetail.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every metric of our own is in the documentation, and everything there is served.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := make(map[string]bool)
	for _, m := range regexp.MustCompile("(?m)^\\| `(dovetail_\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = true
	}
	served := everything(t).families(t)
	for name := range served {
		if strings.HasPrefix(name, "dovetail_") && !documented[name] {
			t.Errorf("%s is not documented", name)
		}
	}
	for name := range documented {
		if !served[name] {
			t.Errorf("%s is documented, but not served", name)
		}
	}
	if len(documented) < 20 {
		t.Errorf("only %d metrics are documented", len(documented))
	}
}

// What the dashboard and the alerts of the chart ask for is there.
func TestDashboardAndAlerts(t *testing.T) {
	const chart = "../../../deployments/helm/dovetail/"
	served := everything(t).families(t)
	for _, kind := range []string{"dashboards/*.json", "alerts/*.yaml"} {
		files, err := filepath.Glob(chart + kind)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", kind, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			expressions := expressionsOf(t, file, text)
			if len(expressions) < 10 {
				t.Errorf("%s has %d expressions", file, len(expressions))
			}
			for _, expression := range expressions {
				names := regexp.MustCompile(`\b(dovetail|process|go)_\w+`).FindAllString(expression, -1)
				if len(names) == 0 {
					t.Errorf("%s: no metric in %s", file, expression)
				}
				for _, name := range names {
					family := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
					if !served[name] && !served[family] {
						t.Errorf("%s: there is no %s", file, name)
					}
				}
			}
		}
	}
}

// expressionsOf returns the values of all members "expr", at any depth.
func expressionsOf(t *testing.T, file string, text []byte) []string {
	t.Helper()
	if strings.HasSuffix(file, ".json") && !json.Valid(text) {
		t.Fatalf("%s is not JSON", file)
	}
	values, err := yaml.Parse(file, text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	var walk func(v *value.Value)
	walk = func(v *value.Value) {
		for _, item := range v.Items {
			walk(item)
		}
		for _, m := range v.Members {
			if m.Name == "expr" {
				all = append(all, m.Value.Text)
			}
			walk(m.Value)
		}
	}
	for _, v := range values {
		walk(v)
	}
	return all
}

// The metrics say what happened.
func TestMetricsCount(t *testing.T) {
	server := start(t, map[string]string{"log-level": "error"})
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	server.must(t, 409, "POST", "/v2/clusters", named("c1"))
	server.must(t, 404, "GET", "/v2/clusters/c2", "")
	server.must(t, 200, "PUT", "/api/sources/cat", `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"]}]}]}`)
	server.must(t, 201, "PUT", "/v2/active-resolutions/r?wait=30s", `{"spec":{"constraints":["required(\"p\")"]}}`)
	text := server.must(t, 200, "GET", "/metrics", "")
	for _, line := range []string{
		`dovetail_http_requests_total{code="201",method="POST",route="/v2/clusters"} 1`,
		`dovetail_http_requests_total{code="409",method="POST",route="/v2/clusters"} 1`,
		`dovetail_store_conflicts_total{backend="bolt",code="exists"} 1`,
		`dovetail_store_operations_total{backend="bolt",code="not-found",operation="get"} `,
		`dovetail_store_operation_duration_seconds_count{backend="bolt",operation="commit"} `,
		`dovetail_resolutions_total{result="resolved"} 1`,
		`dovetail_resolution_duration_seconds_count 1`,
		`dovetail_leading{work="resolution"} 1`,
		`dovetail_leading{work="upkeep"} 1`,
		`dovetail_store_marks_resolved_total{result="aborted"} 0`,
		`dovetail_git_pushes_total{result="ok"} 0`,
	} {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}

// spans collects the names of spans that a collector of OpenTelemetry gets.
type spans struct {
	mu    sync.Mutex
	names []string
}

func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				s.names = append(s.names, span.GetName())
			}
		}
	}
}

// A traced request has a span for itself and for each operation of the store, on MongoDB also for its commands,
// and its record in the log says which trace it is in.
func TestTraces(t *testing.T) {
	locations := map[string]string{"bolt": "bolt:" + filepath.Join(t.TempDir(), "db")}
	if os.Getenv("DOVETAIL_TEST_MONGO_URI") != "" {
		locations["mongo"] = freshMongo(t).String()
	}
	for name, location := range locations {
		t.Run(name, func(t *testing.T) {
			got := &spans{}
			at := httptest.NewServer(got)
			defer at.Close()
			server := start(t, map[string]string{"store": location, "trace-endpoint": at.URL, "log-level": "info", "log-format": "json"})
			response := server.asks(t, "GET", "/v2/clusters/none", map[string]string{"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
			if response.StatusCode != http.StatusNotFound {
				t.Fatal(response.Status)
			}
			if err := server.stop(); err != nil { // sends what is left
				t.Fatal(err)
			}
			want := []string{"store get", "GET /v2/clusters/{cluster}"}
			if name == "mongo" {
				want = append(want, "mongodb find")
			}
			for _, span := range want {
				if !slices.Contains(got.names, span) {
					t.Errorf("there is no span %s among %q", span, got.names)
				}
			}
			if !strings.Contains(server.logs.String(), `"trace_id":"0af7651916cd43dd8448eb211c80319c"`) {
				t.Errorf("the log does not say which trace: %s", server.logs)
			}
		})
	}
}

// Without a collector nothing is traced.
func TestNoTraces(t *testing.T) {
	server := start(t, map[string]string{"log-level": "info"})
	if server.tracing != nil {
		t.Error("there are traces")
	}
	server.asks(t, "GET", "/v2/clusters", map[string]string{"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	if strings.Contains(server.logs.String(), "trace_id") {
		t.Error("the log speaks of traces")
	}
}

func TestProfiles(t *testing.T) {
	server := start(t, map[string]string{"pprof": "127.0.0.1:0", "log-level": "info"})
	address := regexp.MustCompile(`at=(http://\S+/debug/pprof/)`).FindStringSubmatch(server.logs.String())
	if address == nil {
		t.Fatalf("the log does not say where: %s", server.logs)
	}
	response, err := http.Get(address[1] + "heap?debug=1")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(text), "heap profile") {
		t.Errorf("%s %v", response.Status, err)
	}
	server.must(t, 404, "GET", "/debug/pprof/", "")
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	for _, listen := range []string{":6060", "0.0.0.0:6060", "10.1.2.3:6060", "somewhere:6060", "6060"} {
		config := server.config
		config.Pprof, config.Listen = listen, "127.0.0.1:0"
		if _, err := Start(t.Context(), config, io.Discard); dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), "show the memory") {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

// Pushes are counted by outcome.
func TestMetricsCountPushes(t *testing.T) {
	server := start(t, map[string]string{"instance-repo": gittest.New(t, apptest.InstanceFiles()).Dir, "log-level": "error"})
	server.must(t, 201, "POST", "/api/ui-override", `{"environmentId":"c1/dev","context":"pipeline","parameters":{"a":1}}`)
	if text := server.must(t, 200, "GET", "/metrics", ""); !strings.Contains(text, "\ndovetail_git_pushes_total{result=\"ok\"} 1\n") {
		t.Error("the push is not counted")
	}
}

package app

import (
	"math/bits"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dovetail-store/dovetail/src/internal/server/gateway"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// A process may serve some of the services only.
func TestServices(t *testing.T) {
	all := start(t, nil)
	all.must(t, 201, "POST", "/v2/clusters", named("c1"))
	all.must(t, 201, "POST", "/v2/clusters/c1/environments", named("dev"))
	const sd = "/api/sd?environmentId=c1/dev&kind=full"
	all.must(t, 201, "PUT", sd, `{"applications":[]}`)
	all.must(t, 422, "POST", "/api/sd/process?environmentId=c1/dev", `{"SD_VERSION":"solution:1"}`)
	if err := all.stop(); err != nil {
		t.Fatal(err)
	}
	only := start(t, map[string]string{"store": all.config.Store, "services": "descriptor", "sd-namespaces": "enforce"})
	only.must(t, 200, "GET", sd, "")
	only.must(t, 404, "GET", "/v2/clusters", "")
	only.must(t, 422, "PUT", sd, `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`)
	only.must(t, 200, "GET", "/readyz", "")
	if err := only.stop(); err != nil {
		t.Fatal(err)
	}
	without := start(t, map[string]string{"store": all.config.Store, "services": "resources"})
	without.must(t, 200, "GET", "/v2/clusters/c1/environments/dev/solution-descriptors/full", "")
	without.must(t, 404, "GET", sd, "")
}

// What ships is described, the services' bodies with schemas that their answers keep to.
func TestDescription(t *testing.T) {
	server := start(t, nil)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(server.must(t, 200, "GET", "/openapi.json", "")))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Fatal(err)
	}
	for path, verbs := range map[string]int{"/v2/clusters": 2, "/api/sd": 3, "/api/sd/process": 1, "/api/sd/merge": 1, "/api/ui-override": 4, "/api/ui-override/common": 1, "/api/ui-override/move": 1, "/api/paramset": 1,
		"/api/paramset/{id}": 3, "/api/paramset/{id}/associations": 2, "/api/paramset/{id}/associations/{associationId}": 2, "/api/effective-set": 2, "/api/effective-set/calculated": 1, "/api/effective-set/impact": 1, "/api/parameters": 1} {
		if item := doc.Paths.Value(path); item == nil || len(item.Operations()) != verbs {
			t.Errorf("%s is not described as it is", path)
		}
	}
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	server.must(t, 201, "POST", "/v2/clusters/c1/environments", named("dev"))
	report := server.must(t, 200, "POST", "/api/sd/process?environmentId=c1/dev", `{"SD_MERGE_MODE":"basic-exclusion-merge","SD_DATA":{"version":2.1,"type":"x",`+
		`"applications":["a:1",{"version":"a:1","deployPostfix":"x"}],"deployGraph":[{"chunkName":"w","apps":["a:x"]}]},"SD_DELTA":false}`)
	paramSet := server.must(t, 201, "POST", "/api/paramset", `{"name":"x","location":"environments/parameters","parameters":{"a":{"b":1}},"applications":[{"appName":"a","parameters":{}}]}`)
	var made struct{ ID string }
	decode(t, paramSet, &made)
	server.must(t, 201, "POST", "/api/ui-override", `{"environmentId":"c1/dev","context":"runtime","parameters":{"m":[1]}}`)
	server.must(t, 201, "POST", "/v2/clusters/c1/environments/dev/effective-set-parts", `{"metadata":{"name":"pipeline/parameters.yaml"},"spec":{"parameters":{"a":1}}}`)
	for name, text := range map[string]string{
		"Override":            server.must(t, 201, "POST", "/api/ui-override", `{"environmentId":"c1/dev","context":"pipeline","parameters":{"a":[1]}}`),
		"ParamSet":            paramSet,
		"ParamSetAssociation": server.must(t, 201, "POST", "/api/paramset/"+made.ID+"/associations", `{"environmentId":"c1/dev","context":"pipeline","associatedObject":"cloud"}`),
		"EffectiveSet":        server.must(t, 200, "GET", "/api/effective-set?environmentId=c1/dev&context=pipeline&view=explain", ""),
		"CalculatedSet":       server.must(t, 200, "GET", "/api/effective-set/calculated?environmentId=c1/dev&context=deployment", ""),
		"Move":                server.must(t, 200, "POST", "/api/ui-override/move?dryRun=true", `{"context":"runtime","associatedObject":"cloud","names":["m"],"environments":["c1/dev"],"to":{"name":"y","location":"environments/parameters","associatedObject":"cloud"}}`),
		"EffectiveSetImpact":  server.must(t, 200, "POST", "/api/effective-set/impact", `{"override":{"environmentId":"c1/dev","context":"pipeline","parameters":{"b":1}}}`),
		"SolutionReport":      report,
		"SolutionDescriptor":  server.must(t, 200, "GET", "/api/sd?environmentId=c1/dev&kind=full", ""),
		"SolutionMerged": server.must(t, 200, "POST", "/api/sd/merge", `{"mode":"basic-exclusion-merge","full":{"applications":[{"version":"a:1","deployPostfix":"x"}]},`+
			`"deltas":[{"applications":[{"version":"a:2","deployPostfix":"x"},{"version":"b:1","deployPostfix":"x"}]}]}`),
	} {
		var v any
		decode(t, text, &v)
		if err := doc.Components.Schemas[name].Value.VisitJSON(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every choice of services runs, says what it is and which kinds it keeps, and serves its own paths and no others.
func TestAnyChoiceOfServices(t *testing.T) {
	t.Parallel()
	paths := map[string]string{ServiceResources: "/v2/clusters", "descriptor": "/api/sd", "override": "/api/ui-override", "layering": "/api/v1.0/revisions", "resolution": "/api/sources/x", "changeset": "/api/change-sets/x"}
	entry := regexp.MustCompile(`(?m)^  - name: (\S+)`)
	few, nearlyAll := rounds.Of(2, len(allServices)), len(allServices)-1 // of how many services a choice is
	for choice := uint(1); choice < 1<<len(allServices); choice++ {
		if n := bits.OnesCount(choice); n > few && n < nearlyAll {
			continue // in long runs only
		}
		var chosen []string
		for i, name := range allServices {
			if choice&(1<<i) != 0 {
				chosen = append(chosen, name)
			}
		}
		t.Run(strings.Join(chosen, ","), func(t *testing.T) {
			server := start(t, map[string]string{"services": strings.Join(chosen, ",")})
			server.must(t, 200, "GET", "/readyz", "")
			var index struct {
				Services []struct {
					Name  string
					Kinds []string
				}
			}
			decode(t, server.must(t, 200, "GET", "/", ""), &index)
			if len(index.Services) != len(chosen) {
				t.Errorf("it says that it has %v", index.Services)
			}
			for _, said := range index.Services {
				if !slices.Contains(chosen, said.Name) {
					t.Errorf("it says that it has %s", said.Name)
				}
				if said.Name == ServiceResources {
					if !slices.Contains(said.Kinds, "cluster") || !slices.Contains(said.Kinds, "solutionDescriptor") {
						t.Errorf("resources are %q", said.Kinds)
					}
					continue
				}
				text, err := os.ReadFile("../../" + said.Name + "/ref-schemas/v1.yaml")
				if err != nil {
					t.Fatal(err)
				}
				var kinds []string
				for _, m := range entry.FindAllStringSubmatch(string(text), -1) {
					kinds = append(kinds, m[1])
				}
				if !slices.Equal(said.Kinds, kinds) {
					t.Errorf("%s says that it keeps %q, and its ref-schema %q", said.Name, said.Kinds, kinds)
				}
			}
			for name, path := range paths {
				_, text := server.call(t, "GET", path, "")
				if missing := strings.Contains(text, "nothing is served at"); missing == slices.Contains(chosen, name) {
					t.Errorf("%s: %s", path, text)
				}
			}
		})
	}
}

// Each service in a process of its own, on one database, behind a gateway: clients see one server.
func TestServicesBehindAGateway(t *testing.T) {
	location := freshMongo(t).String()
	var urls []string
	for _, name := range allServices {
		urls = append(urls, start(t, map[string]string{"store": location, "services": name, "log-level": "error"}).URL())
	}
	g, err := gateway.New(gateway.Options{Servers: urls, Every: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	go g.Run(t.Context())
	front := httptest.NewServer(g)
	defer front.Close()
	send := func(method, path, body string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, front.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		status, _, text := roundTrip(t, request)
		return status, text
	}
	eventually(t, "the gateway knows all servers", func() bool {
		_, text := send("GET", "/readyz", "")
		return strings.Count(text, `"ok"`) == len(allServices)+1
	})
	steps := []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/v2/clusters", named("c1"), 201},
		{"POST", "/v2/clusters/c1/environments", named("dev"), 201},
		{"PUT", "/api/sd?environmentId=c1/dev&kind=full", `{"applications":[]}`, 201},
		{"GET", "/v2/clusters/c1/environments/dev/solution-descriptors/full", "", 200},
		{"POST", "/api/ui-override", `{"environmentId":"c1/dev","context":"pipeline","parameters":{"a":1}}`, 201},
		{"PUT", "/api/sources/cat", `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"]}]}]}`, 200},
		{"PUT", "/v2/active-resolutions/r", `{"spec":{"constraints":["required(\"p\")"]}}`, 201},
		{"GET", "/api/v1.0/revisions", "", 200},
		{"POST", "/api/change-sets", `{"name":"c"}`, 201},
		{"PUT", "/v2/clusters/c2?changeSet=c", named("c2"), 201},
		{"PUT", "/api/sd?environmentId=c1/dev&kind=full&changeSet=c", `{"applications":[{"version":"a:1","deployPostfix":"p"}]}`, 200},
		{"PUT", "/api/sources/staged?changeSet=c", `{"packages":[]}`, 200},
		{"GET", "/api/sources/staged?changeSet=c", "", 200},
		{"GET", "/api/sources/staged", "", 404},
		{"GET", "/v2/clusters/c2?changeSet=c", "", 200},
		{"GET", "/v2/clusters/c2", "", 404},
		{"GET", "/api/nowhere", "", 404},
		{"GET", "/api", "", 200},
		{"GET", "/apis", "", 200},
		{"GET", kubernetesPath, "", 200},
		{"POST", kubernetesPath + "/namespaces/c1/environments", named("test"), 201},
		{"GET", kubernetesPath + "/namespaces/c1/environments/test", "", 200},
		{"GET", kubernetesPath + "/environments?watch=true&timeoutSeconds=1", "", 200},
		{"GET", "/openapi.json", "", 200},
	}
	for _, step := range steps {
		if status, text := send(step.method, step.path, step.body); status != step.status {
			t.Errorf("%s %s: %d %s", step.method, step.path, status, text)
		}
	}
	eventually(t, "the controller answers what another process stored", func() bool {
		_, text := send("GET", "/v2/active-resolutions/r/status", "")
		return strings.Contains(text, "cat:p:1.0.0:main")
	})
}

// A service whose kinds the ref-schema lacks is off until a new one has them.
func TestServiceWithoutItsKinds(t *testing.T) {
	t.Parallel()
	const descriptors = twoKinds + "  - name: cluster\n  - name: environment\n    parent: cluster\n  - name: solutionDescriptor\n    parent: environment\n"
	schemas := newConfigMap(t, map[string]string{"schema.yaml": twoKinds})
	server := start(t, map[string]string{"ref-schemas": schemas.dir})
	const says = "the service descriptor is off: the ref-schema in force has no kind solutionDescriptor"
	if logged := server.logs.String(); strings.Contains(logged, "level=WARN") {
		t.Errorf("the log warns of what nobody asked for: %s", logged)
	}
	const sd = "/api/sd?environmentId=c1/dev&kind=full"
	off := func() (what []string) {
		var index struct {
			Services []struct{ Name, Off string }
		}
		decode(t, server.must(t, 200, "GET", "/", ""), &index)
		for _, service := range index.Services {
			if service.Off != "" {
				what = append(what, service.Name)
			}
		}
		return what
	}
	if text := server.must(t, 404, "GET", sd, ""); !strings.Contains(text, says) || !strings.Contains(text, "name the service with --services") {
		t.Errorf("the route says %s", text)
	}
	if names := slices.Sorted(slices.Values(off())); !slices.Equal(names, []string{"descriptor", "layering", "override", "resolution"}) {
		t.Errorf("off are %q", names)
	}
	if strings.Contains(server.must(t, 200, "GET", "/openapi.json", ""), `"/api/sd"`) {
		t.Error("the description has the paths of a service that is off")
	}
	schemas.swap(t, map[string]string{"schema.yaml": descriptors})
	eventually(t, "the service is on", func() bool { return !slices.Contains(off(), "descriptor") })
	if text := server.must(t, 404, "GET", sd, ""); strings.Contains(text, "is off") {
		t.Errorf("the route says %s", text)
	}
	if !strings.Contains(server.must(t, 200, "GET", "/openapi.json", ""), `"/api/sd"`) {
		t.Error("the description lacks the paths of a service that is on")
	}
}

// A service that is named brings its kinds. Where the files define some of them, the error says how to choose.
func TestNamedServices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, files, services, wants string }{
		{"it brings them", twoKinds, "resources,override,changeset", ""},
		{"the files define some", twoKinds + "  - name: siteParamSet\n", "resources,override", "define siteParamSet, and not the other kinds of override"},
		{"the files define one that others refer to", twoKinds + "  - name: cluster\n", "resources,override", "define cluster, and not the other kinds of inventory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			schemas := newConfigMap(t, map[string]string{"schema.yaml": test.files})
			config, err := Load(map[string]string{"ref-schemas": schemas.dir, "services": test.services}, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = config.refSchemas().compile(nil)
			if test.wants == "" && err != nil || test.wants != "" && (err == nil || !strings.Contains(err.Error(), test.wants)) {
				t.Errorf("got %v, want %q", err, test.wants)
			}
		})
	}
}

// TestEarlierSchema: under a ref-schema that lacks the sets of resolutions, as those of earlier versions do, the service is on.
func TestEarlierSchema(t *testing.T) {
	text, err := os.ReadFile("../../resolution/ref-schemas/v1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), "  - name: activeResolutionSet\n")
	earlier := strings.Replace(before, "      - {name: activeResolutionSet, at: spec.set, onDelete: cascade}\n", "", 1)
	if !found || earlier == before {
		t.Fatal("the ref-schema has no sets")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "v1.yaml"), []byte(earlier), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, map[string]string{"ref-schemas": folder})
	sendIn(t, s, "PUT", "/api/sources/cat", "", `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"]}]}]}`)
	if got := sendIn(t, s, "PUT", "/v2/active-resolutions/r?wait=2m", "", `{"spec":{"constraints":["required(\"p\")"]}}`); !strings.Contains(got, "cat:p:1.0.0:main") {
		t.Error(got)
	}
}

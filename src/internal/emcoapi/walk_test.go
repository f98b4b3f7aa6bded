package emcoapi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
	"github.com/dovetail-store/dovetail/src/store"
)

func emcoModel(t *testing.T) *schema.Model {
	t.Helper()
	sources, err := schema.ReadDir("../../../ref-schemas/examples/emco")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// recorded answers as EMCO did, except files, which the recording has no bytes of, and what is replaced.
func recorded(t *testing.T, name string, replaced map[string]int) *httptest.Server {
	t.Helper()
	file, err := os.Open("../emco/testdata/" + name + "/rest.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	answers := make(map[string]json.RawMessage)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			Path, Accept string
			Body         json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Accept == "application/json" {
			answers[line.Path] = line.Body
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := answers[r.URL.EscapedPath()]
		code := replaced[r.URL.EscapedPath()]
		switch {
		case code != 0:
			w.WriteHeader(code)
			fmt.Fprint(w, "[{")
		case !known:
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("Accept") == "multipart/form-data":
			w.Header().Set("Content-Type", "multipart/form-data; boundary=b")
			fmt.Fprintf(w, "--b\r\nContent-Disposition: form-data; name=metadata\r\n\r\n%s\r\n--b\r\nContent-Disposition: form-data; name=file; filename=f.tgz\r\n\r\ndata\r\n--b--\r\n", body)
		default:
			_, _ = w.Write(body)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func read(t *testing.T, a *API) (items map[dovetail.ID]emco.Item, findings []store.Finding, err error) {
	t.Helper()
	items = make(map[dovetail.ID]emco.Item)
	err = a.Read(t.Context(), emcoModel(t), Reader{Item: func(i emco.Item) error { items[i.ID] = i; return nil }, Finding: func(f store.Finding) { findings = append(findings, f) }})
	return items, findings, err
}

// TestRead reads what EMCO answered: all that is in its database, but what has no name there.
func TestRead(t *testing.T) {
	server := recorded(t, "vfw", nil)
	items, findings, err := read(t, &API{HTTP: server.Client(), Base: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if app := items["project/proj1/compositeApp/compositevfw/compositeAppVersion/v1/app/sink"]; len(app.Files) != 1 || app.Files[0].Filename != "f.tgz" || string(app.Files[0].Data) != "data" {
		t.Errorf("the app is %+v", app)
	}
	if len(items) != 39 { // of 40, one of which is the intent without a name
		t.Errorf("%d items", len(items))
	}
	said := make(map[string]int)
	for _, f := range findings {
		switch {
		case strings.Contains(f.Message, "what they are called"):
			said["no name"]++
		case strings.Contains(f.Message, "/status does not say it"):
			said["no state"]++
		case strings.Contains(f.Message, "answers 404"):
			said["not served"]++
		default:
			t.Errorf("%+v", f)
		}
	}
	if said["no name"] != 1 || said["no state"] != 3 || said["not served"] == 0 {
		t.Errorf("found %v", said)
	}
}

func TestReadFailures(t *testing.T) {
	for _, test := range []struct {
		name     string
		replaced map[string]int
		services map[string]string
		code     dovetail.Code
		says     string
	}{
		{"a service fails", map[string]int{"/v2/projects/proj1/logical-clouds": 500}, nil, dovetail.CodeUnavailable, "answers 500"},
		{"another program answers", map[string]int{"/v2/projects": 200}, nil, dovetail.CodeInvalid, "GET /v2/projects cannot be read"},
		{"a service is not there", nil, map[string]string{"dcm": "http://127.0.0.1:1"}, dovetail.CodeUnavailable, "EMCO's service dcm cannot be reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := recorded(t, "vfw", test.replaced)
			_, _, err := read(t, &API{HTTP: server.Client(), Base: server.URL, Services: test.services})
			if dovetail.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

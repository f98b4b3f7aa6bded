package emcoapi

import (
	"bufio"
	"context"
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
	sources, err := schema.ReadDir("../../../../ref-schemas/examples/emco")
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
	file, err := os.Open("../testdata/" + name + "/rest.jsonl")
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

// TestReadUnanswered reads on where requests are not answered, and says what is missing for that, and why.
func TestReadUnanswered(t *testing.T) {
	const lc, app = "/v2/projects/proj1/logical-clouds", "/v2/projects/proj1/composite-apps/compositevfw/v1/apps/sink"
	for _, test := range []struct {
		name     string
		replaced map[string]int
		services map[string]string
		says     string
		gone     int // of 39 items
		without  dovetail.ID
	}{
		{"the first collection", map[string]int{"/v2/cluster-providers": 500}, nil, "what is of kind clusterProvider is not migrated: GET", 8, ""},
		{"a collection below", map[string]int{lc: 500}, nil, "what is of kind logicalCloud below project/proj1 is not migrated: GET http://", 2, ""},
		{"a collection that is no JSON", map[string]int{lc: 200}, nil, "GET " + lc + " cannot be read: ", 2, ""},
		{"a file", map[string]int{app: 500}, nil, "the content of project/proj1/compositeApp/compositevfw/compositeAppVersion/v1/app/sink, which can be uploaded later, is not migrated: GET http://", 0,
			"project/proj1/compositeApp/compositevfw/compositeAppVersion/v1/app/sink"},
		{"a state", map[string]int{lc + "/default/status": 503}, nil, "the state of project/proj1/logicalCloud/default, which becomes Created, is not migrated: GET http://", 0, ""},
		{"a service", nil, map[string]string{"dcm": "http://127.0.0.1:1"}, "EMCO's service dcm cannot be reached at http://127.0.0.1:1: Get ", 2, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := recorded(t, "vfw", test.replaced)
			items, findings, err := read(t, &API{HTTP: server.Client(), Base: server.URL, Services: test.services})
			if err != nil {
				t.Fatal(err)
			}
			if gone := 39 - len(items); gone != test.gone {
				t.Errorf("%d items are not read, want %d", gone, test.gone)
			}
			if item := items[test.without]; test.without != "" && (item.Data == nil || len(item.Files) > 0) {
				t.Errorf("the item is %+v", item)
			}
			said := 0
			for _, f := range findings {
				if strings.Contains(f.Message, test.says) && f.Problem == emco.NotMigrated {
					said++
				}
			}
			if said != 1 {
				t.Errorf("%q is said %d times in %+v", test.says, said, findings)
			}
		})
	}
}

// TestReadNothing fails where nothing answers as EMCO does.
func TestReadNothing(t *testing.T) {
	for _, test := range []struct {
		name string
		code int
		body string
		want dovetail.Code
		says string
	}{
		{"only failures", 500, "no database", dovetail.CodeUnavailable, "answers 500: no database"},
		{"another program", 200, "<html>", dovetail.CodeInvalid, "cannot be read: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.code)
				fmt.Fprint(w, test.body)
			}))
			defer server.Close()
			if _, _, err := read(t, &API{HTTP: server.Client(), Base: server.URL}); dovetail.CodeOf(err) != test.want || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, _, err := read(t, &API{HTTP: http.DefaultClient, Base: "http://127.0.0.1:1"}); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("%v", err)
	}
}

// TestReadEnds ends with its context, and does not take that for answers that are missing.
func TestReadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests == 3 {
			cancel()
		}
		fmt.Fprint(w, "[]")
	}))
	defer server.Close()
	err := (&API{HTTP: server.Client(), Base: server.URL}).Read(ctx, emcoModel(t), Reader{Finding: func(f store.Finding) { t.Errorf("found %+v", f) }})
	if dovetail.CodeOf(err) != dovetail.CodeCanceled {
		t.Errorf("%v after %d requests", err, requests)
	}
}

// TestFiles reads multiparts with and without an end.
func TestFiles(t *testing.T) {
	const metadata = "--b\r\nContent-Disposition: form-data; name=metadata\r\nContent-Type: application/json\r\n\r\n{}\n"
	const file = "\r\n--b\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\n"
	for _, test := range []struct {
		name, body string
		want       string // the files, - for an error
		says       string
	}{
		{"closed", metadata + file + "data\r\n--b--\r\n", "f=data ", ""},
		{"closed without a line end", metadata + file + "data\r\n--b--", "f=data ", ""},
		{"closed, and text behind", metadata + file + "data\r\n--b--\r\nmore\r\n--b\r\n", "f=data ", ""},
		{"not closed", metadata + file + "data", "f=data ", ""},
		{"not closed, with a line end of its own", metadata + file + "data\r\n", "f=data\r\n ", ""},
		{"not closed, with what is like an end", metadata + file + "data\r\n--", "f=data\r\n-- ", ""},
		{"not closed, several files", metadata + file + "one" + file + "two\n", "f=one f=two\n ", ""},
		{"not closed, more than a buffer", metadata + file + strings.Repeat("0123456789\r\n", 1000), "f=" + strings.Repeat("0123456789\r\n", 1000) + " ", ""},
		{"no file", metadata, "", ""},
		{"an empty file", metadata + file, "", ""},
		{"cut in a header", metadata + "\r\n--b\r\nContent-Dispo", "-", "malformed MIME header"},
		{"no parts", "", "-", "it has no parts"},
		{"another program", "<html>", "-", "it has no parts"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "multipart/form-data; boundary=b")
				fmt.Fprint(w, test.body)
			}))
			defer server.Close()
			files, err := (&walk{API: &API{HTTP: server.Client(), Base: server.URL}}).files(t.Context(), &schema.Kind{}, "/x")
			got := ""
			for _, f := range files {
				got += f.Filename + "=" + string(f.Data) + " "
			}
			switch {
			case test.want == "-":
				if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v, want %q", err, test.says)
				}
			case err != nil || got != test.want:
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// TestFilesCut refuses an answer that does not come whole: its last part may be one that is cut.
func TestFilesCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "multipart/form-data; boundary=b")
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "--b\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\ncut")
	}))
	defer server.Close()
	files, err := (&walk{API: &API{HTTP: server.Client(), Base: server.URL}}).files(t.Context(), &schema.Kind{}, "/x")
	if dovetail.CodeOf(err) != dovetail.CodeUnavailable || !strings.Contains(err.Error(), "ended early: unexpected EOF") {
		t.Errorf("%v, %v", files, err)
	}
}

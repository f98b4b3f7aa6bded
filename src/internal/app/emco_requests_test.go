package app

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestEMCORequests sends the requests of EMCO's own integration tests, each group to an empty store, and compares with what EMCO
// answers where that is no defect of EMCO.
func TestEMCORequests(t *testing.T) {
	text, err := os.ReadFile(emcoDatabases + "requests.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := yaml.Parse("requests.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	givens := documents[0].Get("givens")
	for i, group := range documents[0].Get("groups").Items {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			s := start(t, map[string]string{"ref-schemas": emcoSchema, "references": "warn", "api-profile": "emco"})
			if given := group.Get("given"); given != nil {
				for _, name := range given.Items {
					if status, text := s.replay(t, givens.Get(name.Text)); status != http.StatusCreated {
						t.Fatalf("%s: status %d: %s", name.Text, status, text)
					}
				}
			}
			for _, request := range group.Get("requests").Items {
				status, text := s.replay(t, request)
				if request.Get("defect") != nil && request.Get("defect").Text == "true" {
					continue
				}
				path := textOf(request, "path")
				if want := textOf(request, "status"); strconv.Itoa(status) != want {
					t.Errorf("%s: %s %s: status %d, EMCO answers %s %q: %s", textOf(request, "class"), textOf(request, "method"), path, status, want, textOf(request, "text"), text)
				}
				if want := request.Get("answer"); want != nil && want.Kind != value.Null && request.Get("action") == nil && status < 300 {
					var got, wanted any
					if json.Unmarshal([]byte(text), &got) != nil || json.Unmarshal(want.JSON(), &wanted) != nil {
						t.Errorf("%s answers %q", path, text)
					} else if got, wanted := essence(got), essence(wanted); !reflect.DeepEqual(got, wanted) {
						t.Errorf("%s answers %s, want %s", path, asText(got), asText(wanted))
					}
				}
			}
		})
	}
}

// replay sends a recorded request.
func (r *running) replay(t *testing.T, recorded *value.Value) (status int, text string) {
	t.Helper()
	body := textOf(recorded, "body")
	if encoded := recorded.Get("bodyBase64"); encoded != nil {
		raw, err := base64.StdEncoding.DecodeString(encoded.Text)
		if err != nil {
			t.Fatal(err)
		}
		body = string(raw)
	}
	request, err := http.NewRequestWithContext(t.Context(), textOf(recorded, "method"), r.URL()+textOf(recorded, "path"), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if headers := recorded.Get("headers"); headers != nil {
		for _, header := range headers.Members {
			request.Header.Set(header.Name, header.Value.Text)
		}
	}
	status, _, text = roundTrip(t, request)
	return status, text
}

func textOf(v *value.Value, name string) string {
	if is := v.Get(name); is != nil {
		return is.Text
	}
	return ""
}

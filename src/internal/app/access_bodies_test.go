package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// unread is a body that the server must not read.
type unread struct{ asked atomic.Int64 }

func (u *unread) Read([]byte) (int, error) {
	u.asked.Add(1)
	return 0, io.ErrUnexpectedEOF
}

// TestRightsBeforeBodies sends a body to every route of the description that has one, with a token that has no rights:
// the refusal comes before a byte of it is read.
func TestRightsBeforeBodies(t *testing.T) {
	file, tokens := accessFile(t, matrixRoles, "root", "ann", "norole")
	server := start(t, map[string]string{"access": file, "log-level": "error", "refusal-rate": "0"})
	_, _, text := server.as(t, tokens["root"], "GET", "/openapi.json", "")
	var described struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	decode(t, text, &described)
	bodies := 0
	variable := regexp.MustCompile(`\{[^}]*\}`)
	for template, verbs := range described.Paths {
		for verb, operation := range verbs {
			if verb == "parameters" || !bytes.Contains(operation, []byte(`"requestBody":`)) {
				continue
			}
			bodies++
			t.Run(strings.ToUpper(verb)+" "+template, func(t *testing.T) {
				query := ""
				if strings.HasPrefix(template, "/api/") {
					query = "?environmentId=m1/dev&kind=full"
				}
				who := "norole"
				if template == "/v2/schema/impact" {
					who = "ann" // who may read a part of the schema
				}
				body := &unread{}
				r, err := http.NewRequestWithContext(t.Context(), strings.ToUpper(verb), server.URL()+variable.ReplaceAllString(template, "1")+query, body)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+tokens[who])
				if verb == "delete" {
					r.ContentLength = 1 // otherwise the client looks whether there is one
				}
				r.Header.Set("Expect", "100-continue") // the body is sent once the server begins to read it
				answer, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.StatusCode != http.StatusForbidden || body.asked.Load() > 0 {
					t.Errorf("status %d, the body was read %d times", answer.StatusCode, body.asked.Load())
				}
			})
		}
	}
	if bodies < 50 {
		t.Errorf("only %d routes have a body", bodies)
	}
}

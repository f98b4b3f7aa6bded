package apitest

import (
	"encoding/json"
	"strings"
	"testing"
)

// Repeated is a write that is sent again under its idempotency key.
type Repeated struct {
	Name, Method, Path, Body string
	Header                   []string
	Status                   int
	Between                  func(s *Server) // changes what the write is made of; nil does nothing
	Other                    string          // another body, under which the key is refused; "" is for writes without a body
	Unchanged                bool            // the write changes nothing
}

// CheckRepeated checks that writes are done once under an idempotency key, are answered alike, and keep their message.
func (s *Server) CheckRepeated(t *testing.T, writes []Repeated) {
	for _, w := range writes {
		t.Run(w.Name, func(t *testing.T) {
			s := s.With(t)
			header := append([]string{"Content-Type", "application/json", "Idempotency-Key", "key of " + w.Name, "Dovetail-Message", "why " + w.Name}, w.Header...)
			first := s.Must(w.Status, w.Method, w.Path, w.Body, header...)
			if got := s.newest().Message; got != "why "+w.Name && !w.Unchanged {
				t.Errorf("the message is %q", got)
			}
			if w.Between != nil {
				w.Between(s)
			}
			before := s.newest()
			again := s.Must(w.Status, w.Method, w.Path, w.Body, header...)
			for _, name := range []string{"Etag", "Location", "Last-Modified"} {
				if first.Header.Get(name) != again.Header.Get(name) {
					t.Errorf("%s: %q, then %q", name, first.Header.Get(name), again.Header.Get(name))
				}
			}
			if first.Text != again.Text || first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s\nthen %s %v", first.Text, again.Text, again.Header)
			}
			if w.Other != "" {
				refused := s.Send(w.Method, w.Path, w.Other, header...)
				if refused.Status/100 != 4 || !strings.Contains(refused.Text, "key was used for another request") {
					t.Errorf("another request: %d %s", refused.Status, refused.Text)
				}
			}
			if after := s.newest(); after != before {
				t.Errorf("a repetition made the transaction %+v", after)
			}
		})
	}
}

// transaction is one of the history.
type transaction struct{ Position, Message string }

func (s *Server) newest() transaction {
	s.t.Helper()
	var page struct{ Items []transaction }
	if err := json.Unmarshal([]byte(s.Must(200, "GET", "/v2/transactions?limit=1", "").Text), &page); err != nil || len(page.Items) == 0 {
		s.t.Fatalf("no transaction: %v", err)
	}
	return page.Items[0]
}

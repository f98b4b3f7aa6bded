package layering_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestCompatibility plays what Airship Deckhand answered where its clients can notice, with the profile deckhand. testdata/README.md
// says where the cases are from, and how they are read.
func TestCompatibility(t *testing.T) {
	text, err := os.ReadFile("testdata/compatibility.yaml")
	if err != nil {
		t.Fatal(err)
	}
	read, err := yaml.ParsePython("testdata/compatibility.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	cases := read[0].Get("cases").Items
	if len(cases) != 126 {
		t.Errorf("%d cases", len(cases))
	}
	keys := newKeys(t)
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		for _, c := range cases {
			t.Run(c.Get("id").Text, func(t *testing.T) {
				s := serve(t, newStore(t, open(t)), layering.Options{Keys: keys, Profile: rendering.ProfileDeckhand})
				for i, request := range c.Get("requests").Items {
					s.play(i+1, request)
				}
			})
		}
	})
}

// play sends one request of a case and compares what the case expects of the answer.
func (s *server) play(i int, request *value.Value) {
	s.t.Helper()
	method, path, _ := strings.Cut(request.Get("do").Text, " ")
	body := request.Get("body")
	header := []string{"Content-Type", ""}
	text := ""
	if body != nil {
		header[1], text = "application/x-yaml", body.Text
	}
	if more := request.Get("headers"); more != nil {
		for _, m := range more.Members {
			header = append(header, m.Name, m.Value.Text)
		}
	}
	a := s.http.Send(method, path, text, header...)
	if strconv.Itoa(a.Status) != request.Get("status").Text {
		s.t.Fatalf("request %d: %s: %d, want %s: %s", i, request.Get("do").Text, a.Status, request.Get("status").Text, a.Text)
	}
	documents, err := yaml.ParsePython("", []byte(a.Text), value.Limits{})
	if err != nil {
		s.t.Fatalf("request %d: %v: %s", i, err, a.Text)
	}
	if a.Status >= 400 && a.Text != "" {
		s.wantKnownMembers(documents)
	}
	expected := request.Get("expect")
	if expected == nil {
		return
	}
	for _, e := range expected.Items {
		at := e.Get("at").Text
		got := found(documents, a.Header.Get, at)
		var ok bool
		switch {
		case e.Get("absent") != nil:
			ok = got == nil
		case e.Get("like") != nil:
			ok = got != nil && regexp.MustCompile(e.Get("like").Text).MatchString(got.Text)
		default:
			ok = got != nil && value.Equal(asPython(got), asPython(e.Get("is")))
		}
		if !ok {
			s.t.Errorf("request %d: %s: %s is %s, want %s", i, request.Get("do").Text, at, shownJSON(got), e.JSON())
		}
	}
}

// wantKnownMembers checks the body of an error: Deckhand's client in Python raises a TypeError at any other member.
func (s *server) wantKnownMembers(documents []*value.Value) {
	s.t.Helper()
	known := []string{"code", "url", "method", "message", "details", "reason", "apiVersion", "retry", "status", "kind", "metadata"}
	for _, d := range documents {
		for _, m := range d.Members {
			if !slices.Contains(known, m.Name) {
				s.t.Errorf("the body of an error has the member %s", m.Name)
			}
		}
	}
}

// asPython writes floating-point numbers in one form, so that equal ones are equal texts, and still none is an integer.
func asPython(v *value.Value) *value.Value {
	if v.Kind == value.Number && strings.ContainsAny(v.Text, ".eE") {
		f, _ := strconv.ParseFloat(v.Text, 64)
		return value.NewString(fmt.Sprintf("float %g", f))
	}
	c := *v
	c.Items, c.Members = slices.Clone(v.Items), slices.Clone(v.Members)
	for i := range c.Items {
		c.Items[i] = asPython(c.Items[i])
	}
	for i := range c.Members {
		c.Members[i].Value = asPython(c.Members[i].Value)
	}
	return &c
}

func shownJSON(v *value.Value) string {
	if v == nil {
		return "absent"
	}
	return string(v.JSON())
}

// found is what stands at a place of an answer, nil if there is nothing.
func found(documents []*value.Value, header func(string) string, at string) *value.Value {
	documents = slices.DeleteFunc(slices.Clone(documents), func(d *value.Value) bool { return d.Kind == value.Null })
	name, isHeader := strings.CutPrefix(at, "header ")
	switch {
	case at == "count":
		return value.NewNumber(int64(len(documents)))
	case at == "names":
		list := value.NewList()
		for _, d := range documents {
			if name := d.At("metadata", "name"); name != nil {
				list.Items = append(list.Items, name)
			} else {
				list.Items = append(list.Items, value.NullValue())
			}
		}
		return list
	case isHeader:
		return value.NewString(header(name))
	}
	v := value.NewList(documents...)
	for _, part := range strings.Fields(at) {
		if v.Kind == value.List {
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(v.Items) {
				return nil
			}
			v = v.Items[n]
		} else if v = v.Get(part); v == nil {
			return nil
		}
	}
	return v
}

package state_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/value"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func doc(data string) *dovetail.Document {
	return &dovetail.Document{ID: "activeResolution/r", Kind: state.Kind, Data: json.RawMessage(data)}
}

func read(t interface{ Fatal(...any) }, data string) *state.Request {
	req, err := state.ReadRequest(doc(data))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func selected(packages ...string) state.Answer {
	o := &solver.Outcome{Selections: []solver.Selection{}, Message: fmt.Sprintf("selected %d", len(packages))}
	for _, p := range packages {
		o.Selections = append(o.Selections, solver.Selection{Source: "s", Package: p, Version: "1.0.0", Channel: "c", Image: "image-of-" + p})
	}
	return state.Answer{Digest: "d", Outcome: o}
}

func Example() {
	req, err := state.ReadRequest(doc(`{"metadata":{"annotations":{"deppy.io/activator-class":"Operator"}},"spec":{"constraints":["required(\"p\")"]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	status, _ := state.Assess(req, selected("p"), &state.Status{}, state.Surroundings{Now: noon})
	for _, c := range status.Conditions {
		fmt.Println(c.Type, c.Status, c.Reason, c.Message)
	}
	fmt.Println(status.Selections, status.Entities)
	// Output:
	// Resolved True Resolved selected 1
	// Activated True Activated 1 entity by activator Operator
	// [s:p:1.0.0:c] [{p image-of-p  }]
}

// TestDigest says what counts as asked for.
func TestDigest(t *testing.T) {
	const base = `{"metadata":{"name":"r"},"spec":{"constraints":[]}}`
	tests := []struct {
		name, data string
		same       bool
	}{
		{name: "labels", data: `{"metadata":{"name":"r","labels":{"a":"b"},"annotations":{"other":"x"}},"spec":{"constraints":[]}}`, same: true},
		{name: "apiVersion", data: `{"apiVersion":"deppy.io/v1alpha1","kind":"ActiveResolution","spec":{"constraints":[]}}`, same: true},
		{name: "spec", data: `{"metadata":{"name":"r"},"spec":{"constraints":[],"timeoutSeconds":1}}`},
		{name: "class", data: `{"metadata":{"name":"r","annotations":{"deppy.io/activator-class":"Operator"}},"spec":{"constraints":[]}}`},
		{name: "empty class", data: `{"metadata":{"name":"r","annotations":{"deppy.io/activator-class":""}},"spec":{"constraints":[]}}`},
		{name: "generation", data: `{"metadata":{"name":"r","generation":2},"spec":{"constraints":[]}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if same := read(t, test.data).Digest == read(t, base).Digest; same != test.same {
				t.Errorf("the same: %t, want %t", same, test.same)
			}
		})
	}
	if _, err := state.ReadRequest(doc(`{`)); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
		t.Errorf("of damaged data: %v", err)
	}
}

// TestReasons shows what each kind of answer becomes.
func TestReasons(t *testing.T) {
	fault := func(data string) state.Answer {
		_, err := solver.NewProblem(read(t, data).Spec, nil)
		return state.Answer{Err: err}
	}
	const sources, constraint = `{"spec":{"sources":["none"]}}`, `{"spec":{"constraints":["required(\"a\")","wanted(\"a\")"]}}`
	tests := []struct {
		name   string
		answer state.Answer
		want   string // status, reason
		fault  string
	}{
		{name: "resolved", answer: selected(), want: "True Resolved"},
		{name: "unsatisfiable", answer: state.Answer{Outcome: &solver.Outcome{Unsat: &solver.Unsat{}, Message: "no"}}, want: "False Unsatisfiable"},
		{name: "timed out", answer: state.Answer{Outcome: &solver.Outcome{TimedOut: true, Message: "no answer"}}, want: "Unknown TimedOut"},
		{name: "source", answer: fault(sources), want: "False SourceNotFound", fault: "SourceNotFound 0"},
		{name: "constraint", answer: fault(constraint), want: "False InvalidConstraint", fault: "InvalidConstraint 1"},
		{name: "foreign", answer: state.Answer{Err: dovetail.Errorf(dovetail.CodeInternal, "x")}, want: "False internal"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, _ := state.Assess(read(t, `{"spec":{}}`), test.answer, &state.Status{}, state.Surroundings{Now: noon})
			c := s.Conditions[0]
			if got := c.Status + " " + c.Reason; got != test.want || c.Message == "" || len(s.Conditions) != 1 {
				t.Errorf("%+v, want %s", s.Conditions, test.want)
			}
			if s.Error != nil != (test.fault != "") || s.Error != nil && fmt.Sprint(s.Error.Reason, " ", s.Error.Index) != test.fault {
				t.Errorf("error %+v, want %q", s.Error, test.fault)
			}
		})
	}
}

func TestLongMessage(t *testing.T) {
	a := state.Answer{Outcome: &solver.Outcome{TimedOut: true, Message: strings.Repeat("ä", 1000)}}
	s, _ := state.Assess(read(t, `{"spec":{}}`), a, &state.Status{}, state.Surroundings{Now: noon})
	message := s.Conditions[0].Message
	if len(message) > state.MaxMessage || len(message) < state.MaxMessage-4 || strings.TrimLeft(message, "ä") != "…" {
		t.Errorf("%d bytes: %s", len(message), message)
	}
}

// TestProperties runs through random sequences of requests and answers.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := &state.Status{}
		now := noon
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			now = now.Add(time.Minute)
			class := rapid.SampledFrom([]string{"", `"Operator"`, `"ResolveSet"`, `"Helm"`}).Draw(t, "class")
			data := `{"spec":{"timeoutSeconds":` + fmt.Sprint(rapid.IntRange(1, 2).Draw(t, "spec")) + `}}`
			if class != "" {
				data = `{"metadata":{"annotations":{"deppy.io/activator-class":` + class + `}},` + data[1:]
			}
			req := read(t, data)
			a := rapid.SampledFrom([]state.Answer{selected("a"), selected("a", "b"), selected(),
				{Outcome: &solver.Outcome{TimedOut: true}}, {Outcome: &solver.Outcome{Unsat: &solver.Unsat{}}}, {Err: dovetail.Errorf(dovetail.CodeInternal, "x")}}).Draw(t, "answer")
			s, files := state.Assess(req, a, before, state.Surroundings{Now: now, PublicURL: "http://x"})
			good := a.Outcome != nil && a.Outcome.Resolved()
			again, _ := state.Assess(req, a, s, state.Surroundings{Now: now.Add(time.Hour), PublicURL: "http://x"})
			if text(t, again) != text(t, s) {
				t.Fatalf("the same once more gives\n%s\nafter\n%s", text(t, again), text(t, s))
			}
			checkStatus(t, s, before, good, req, now)
			if (files == nil) == good || (s.Bundle != nil && good) != (len(files) == 2) {
				t.Fatalf("files %v of %s", files, text(t, s))
			}
			before = s
		}
	})
}

func checkStatus(t *rapid.T, s, before *state.Status, good bool, req *state.Request, now time.Time) {
	stale := false
	var types []string
	for _, c := range s.Conditions {
		types = append(types, c.Type)
		stale = stale || c.Type == state.ConditionSelectionsStale
		changed := true
		for _, was := range before.Conditions {
			changed = changed && (was.Type != c.Type || was.Status != c.Status)
		}
		if changed != c.LastTransitionTime.Equal(now) {
			t.Fatalf("condition %+v after %+v", c, before.Conditions)
		}
	}
	slices.Sort(types)
	if len(slices.Compact(types)) != len(s.Conditions) {
		t.Fatalf("duplicate condition: %+v", s.Conditions)
	}
	if stale != (!good && len(before.Selections) > 0) || !good && !slices.Equal(s.Selections, before.Selections) {
		t.Fatalf("stale %t: %v after %v", stale, s.Selections, before.Selections)
	}
	generation := before.ObservedGeneration
	if before.SpecDigest != req.Digest {
		generation++
	}
	if s.ObservedGeneration != generation || s.SpecDigest != req.Digest {
		t.Fatalf("generation %d, want %d", s.ObservedGeneration, generation)
	}
}

func text(t *rapid.T, s *state.Status) string {
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSettled(t *testing.T) {
	d := doc(`{"spec":{}}`)
	if state.Settled(d) {
		t.Error("settled without a status")
	}
	s, _ := state.Assess(read(t, `{"spec":{}}`), selected(), &state.Status{}, state.Surroundings{Now: noon})
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	d.Status = data
	if !state.Settled(d) {
		t.Error("not settled with its status")
	}
	d.Data = []byte(`{"spec":{"timeoutSeconds":1}}`)
	if state.Settled(d) {
		t.Error("settled after a change")
	}
}

// TestRefusedInWords shows the message for what cannot be tried: where in the document, what is wrong, what to do.
func TestRefusedInWords(t *testing.T) {
	const data = `{"spec":{"sources":["none","bad"],"constraints":["required(\"a\"",{"pinned":{"name":"a","version":"1"}}]}}`
	source, err := value.ParseJSON([]byte(`{"name":"bad","packages":[{"name":"p","versions":[{"version":"1.0","channels":["c"]}]}]}`), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	req := read(t, data)
	_, err = solver.NewProblem(req.Spec, []*solver.Source{solver.NewParser().Source(source)})
	s, _ := state.Assess(req, state.Answer{Err: err}, &state.Status{}, state.Surroundings{Now: noon})
	const want = `/spec/sources/0: there is no source "none" (create it, or remove the name); ` +
		`/spec/constraints/0: a comma or a closing ) is missing at the end (write required("name", ">=1.0.0"), for example); ` +
		`/spec/constraints/1/pinned/version: "1" is not a version (write major.minor.patch, such as 1.2.3 or 1.2.3-rc.1); ` +
		`source "bad": p 1.0: "1.0" is not a version (write major.minor.patch, such as 1.2.3 or 1.2.3-rc.1)`
	if got := s.Conditions[0].Message; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

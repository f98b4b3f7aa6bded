package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// What a ref-schema says must hold on every backend: alone, and among eight writers on three connections.
var schemaTests = []test{
	{"schemas/writes", testSchemaWrites},
	{"schemas/rules-while-targets-change", testRuleTargets},
	{"schemas/rules-of-each-other", testRulesOfEachOther},
	{"schemas/rules-while-targets-come", testRuleTargetsCome},
	{"schemas/immutable-among-writers", testImmutableAmongWriters},
	{"schemas/one-action", testOneAction},
	{"schemas/action-while-needed-changes", testNeededState},
	{"schemas/unique-among-writers", testUniqueAmongWriters},
}

// demanding is a ref-schema with all that is checked when a document is written.
const demanding = `
resources:
- name: site
- name: limit
  parent: site
- name: range
  parent: site
  defaults: true
  immutable: [spec.region]
  unique: [spec.serial, {paths: [spec.address], within: site}]
  schema: {properties: {spec: {properties: {max: {type: integer, default: 0}}}}}
  references:
  - {name: limit, at: spec.limit}
  - {name: limit, at: spec.own, exclusive: true}
  - {name: limit, at: spec.hint, enforce: warn}
  - {name: range, at: spec.other}
  rules:
  - {expr: "!has(refs.limit) || self.spec.max <= refs.limit.spec.most", message: above the limit}
  - {expr: "!has(parent.spec.open) || parent.spec.open || self.spec.max == 0", message: the site is closed}
  - {expr: "!has(oldSelf.spec.last) || self.spec.last >= oldSelf.spec.last", message: last goes back}
  - {expr: "!has(refs.hint)", message: the hint is there}
  - {expr: "!has(refs.other) || self.spec.on || refs.other.spec.on", message: both are off}
- name: cluster
  lifecycle:
    initial: Created
    actions: {apply: {from: [Created], to: Applied}, terminate: {from: [Applied], to: Created}}
    freeze: {put: [Applied], delete: [Applied]}
- name: job
  references: [{name: cluster, at: spec.cluster}]
  lifecycle:
    initial: Created
    actions: {run: {from: [Created], to: Running, needs: {cluster: [Applied]}}, stop: {from: [Running], to: Created}}
`

// openDemanding opens a store of the demanding ref-schema.
func (e *env) openDemanding(b store.Backend) *store.Store {
	e.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(demanding)}})
	if err != nil {
		e.Fatal(err)
	}
	s, err := store.Open(e.Context(), b, model, store.Config{})
	if err != nil {
		e.Fatal(err)
	}
	return s
}

// connections returns stores on the same database, each with a connection of its own where the backend allows several.
func (e *env) connections() []*store.Store {
	e.Helper()
	const several = 3
	stores := []*store.Store{e.openDemanding(e.backend)}
	for range several - 1 {
		b := e.backend
		if e.config.Join != nil {
			b = e.config.Join(e.T, e.backend)
			e.Cleanup(func() { _ = b.Close() })
		}
		stores = append(stores, e.openDemanding(b))
	}
	return stores
}

// try does an operation that is written as "VERB ID DATA", where DATA of an action begins with its name.
func (e *env) try(s *store.Store, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	id, text, _ := strings.Cut(rest, " ")
	op := store.Operation{Verb: store.Verb(verb), ID: dovetail.ID(id)}
	if verb == "action" {
		op.Verb = store.PutStatus
		op.Action, text, _ = strings.Cut(text, " ")
	}
	if text != "" {
		data, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			return err
		}
		op.Data = data
	}
	_, err := s.Apply(e.Context(), []store.Operation{op}, store.Options{})
	return err
}

// must does operations that have to succeed.
func (e *env) must(s *store.Store, lines ...string) {
	e.Helper()
	for _, line := range lines {
		if err := e.try(s, line); err != nil {
			e.Fatalf("%s: %v", line, err)
		}
	}
}

// refusal is the reason of an error, or, without one, its message.
func refusal(err error) string {
	if err == nil {
		return ""
	}
	first := dovetail.AsError(err)
	if len(first.Errors) > 0 {
		first = first.Errors[0]
	}
	if first.Reason != "" && first.Reason != schema.ReasonRule {
		return first.Reason
	}
	return first.Message
}

// testSchemaWrites does one write after the other: each is done, or refused for the reason given, and changes nothing then.
func testSchemaWrites(e *env) {
	s := e.openDemanding(e.backend)
	for _, step := range []struct{ line, refused, stored string }{
		{line: `put site/s {"spec":{"open":true}}`},
		{line: `put site/s/limit/l {"spec":{"most":5}}`},
		{line: `put site/s/range/r {"spec":{"region":"eu","serial":1,"address":1,"limit":"l","own":"l"}}`, stored: `{"spec":{"region":"eu","serial":1,"address":1,"limit":"l","own":"l","max":0}}`},
		{line: `patch site/s/range/r {"spec":{"max":5,"last":1}}`},
		{line: `patch site/s/range/r {"spec":{"max":6}}`, refused: "above the limit"},
		{line: `patch site/s/range/r {"spec":{"last":0}}`, refused: "last goes back"},
		{line: `patch site/s/range/r {"spec":{"region":"us"}}`, refused: "IMMUTABLE"},
		{line: `put site/s/range/q {"spec":{"serial":1.0}}`, refused: store.ReasonNotUnique},
		{line: `put site/s/range/q {"spec":{"address":1}}`, refused: store.ReasonNotUnique},
		{line: `put site/s/range/q {"spec":{"own":"l"}}`, refused: store.ReasonTaken},
		{line: `put site/s/range/q {"spec":{"hint":"l"}}`, refused: "the hint is there"},
		{line: `put site/s/range/q {"spec":{"hint":"none","max":"x"}}`, refused: "must be an integer"},
		{line: `put site/s/range/q {"spec":{"hint":"none","max":3}}`},
		{line: `put site/t {"spec":{"open":false}}`},
		{line: `put site/t/range/r {"spec":{"address":1,"max":1}}`, refused: "the site is closed"},
		{line: `put site/t/range/r {"spec":{"address":1}}`, stored: `{"spec":{"address":1,"max":0}}`},
		{line: `put site/s/limit/l {"spec":{"most":4}}`},
		{line: `patch site/s/range/r {"spec":{"last":2}}`, refused: "above the limit"},
		{line: `delete site/s/range/r`},
		{line: `put site/s/range/q {"spec":{"serial":1,"address":1,"own":"l"}}`},

		{line: `put cluster/c {}`}, {line: `put job/j {"spec":{"cluster":"c"}}`},
		{line: `action job/j run`, refused: store.ReasonState},
		{line: `action cluster/c apply`},
		{line: `action cluster/c apply`, refused: store.ReasonState},
		{line: `put cluster/c {"spec":{}}`, refused: store.ReasonState},
		{line: `delete cluster/c`, refused: store.ReasonState},
		{line: `action job/j run`},
		{line: `action cluster/c terminate`},
		{line: `put cluster/c {"spec":{}}`},
	} {
		_, rest, _ := strings.Cut(step.line, " ")
		id, _, _ := strings.Cut(rest, " ")
		before, _ := e.backend.Get(e.Context(), dovetail.ID(id))
		err := e.try(s, step.line)
		if got := refusal(err); (got == "") != (step.refused == "") || !strings.Contains(got, step.refused) {
			e.Fatalf("%s: %v, want %q", step.line, err, step.refused)
		}
		after, _ := e.backend.Get(e.Context(), dovetail.ID(id))
		if step.refused != "" && (before == nil) != (after == nil) || step.refused != "" && before != nil && before.Revision != after.Revision {
			e.Fatalf("%s was refused, and is done", step.line)
		}
		if step.stored != "" && string(after.Data) != step.stored {
			e.Errorf("%s stores %s", step.line, after.Data)
		}
	}
	e.wantClean()
}

// writersOf is how many write at once in the tests of races.
const writersOf = 8

// among runs writers at once, spread over connections.
func (e *env) among(stores []*store.Store, write func(s *store.Store, writer int)) {
	var all sync.WaitGroup
	for writer := range writersOf {
		all.Go(func() { write(stores[writer%len(stores)], writer) })
	}
	all.Wait()
}

// testRuleTargets writes documents, the limit that their rule reads, and their parent at once: no version of a document was committed while
// its rule was false.
func testRuleTargets(e *env) {
	stores := e.connections()
	e.must(stores[0], `put site/s {"spec":{"open":true}}`, `put site/s/limit/l {"spec":{"most":9}}`)
	e.among(stores, func(s *store.Store, writer int) {
		for round := range rounds.Of(12, 300) {
			n := (round*7 + writer*3) % 10
			line := fmt.Sprintf(`put site/s/range/r%d {"spec":{"max":%d,"limit":"l"}}`, writer%2, n)
			switch writer % 4 {
			case 0:
				line = fmt.Sprintf(`put site/s/limit/l {"spec":{"most":%d}}`, n)
			case 1:
				if round%3 == 0 {
					line = fmt.Sprintf(`put site/s {"spec":{"open":%t}}`, round%2 == 0)
				}
			}
			if err := e.try(s, line); err != nil && refusal(err) != "breaks a rule of range: above the limit" && refusal(err) != "breaks a rule of range: the site is closed" {
				e.Errorf("%s: %v", line, err)
			}
		}
	})
	if !e.backend.Capabilities().Versions {
		return
	}
	member := func(then store.Snapshot, id dovetail.ID, name string) string {
		doc, err := then.Get(e.Context(), id)
		if err != nil {
			e.Fatal(err)
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			e.Fatal(err)
		}
		return data.Get("spec").Get(name).Text
	}
	seen := 0
	for _, id := range []dovetail.ID{"site/s/range/r0", "site/s/range/r1"} {
		for v, err := range e.backend.Versions(e.Context(), id) {
			if err != nil {
				e.Fatal(err)
			}
			seen++
			then := e.at(v.Cursor)
			most, largest, open := member(then, "site/s/limit/l", "most"), member(then, id, "max"), member(then, "site/s", "open")
			if largest > most || open == "false" && largest != "0" {
				e.Errorf("%s was committed with %s where the limit was %s, and open %s", id, largest, most, open)
			}
		}
	}
	if seen == 0 {
		e.Error("nothing was written")
	}
}

// testRulesOfEachOther turns each of two documents off, each of whose rules wants the other one to be on.
func testRulesOfEachOther(e *env) {
	stores := e.connections()
	for round := range rounds.Of(12, 300) {
		site := fmt.Sprintf("site/s%d", round)
		e.must(stores[0], "put "+site+" {}", "put "+site+`/range/a {"spec":{"on":true}}`, "put "+site+`/range/b {"spec":{"on":true,"other":"a"}}`, "patch "+site+`/range/a {"spec":{"other":"b"}}`)
		errs := make([]error, writersOf)
		e.among(stores, func(s *store.Store, writer int) {
			errs[writer] = e.try(s, "patch "+site+"/range/"+"ab"[writer%2:][:1]+` {"spec":{"on":false}}`)
		})
		for writer, err := range errs {
			if err != nil && !strings.Contains(refusal(err), "both are off") {
				e.Fatalf("round %d, writer %d: %v", round, writer, err)
			}
		}
		off := 0
		for _, name := range []string{"a", "b"} {
			if strings.Contains(string(e.get(dovetail.ID(site+"/range/"+name)).Data), `"on":false`) {
				off++
			}
		}
		if off != 1 {
			e.Fatalf("round %d: %d are off", round, off)
		}
	}
	e.wantClean()
}

// testRuleTargetsCome creates what a weak reference leads to while the document is written whose rule wants that it is not there.
func testRuleTargetsCome(e *env) {
	stores := e.connections()
	e.must(stores[0], "put site/s {}")
	for round := range rounds.Of(12, 300) {
		errs := make([]error, writersOf)
		e.among(stores, func(s *store.Store, writer int) {
			line := fmt.Sprintf(`put site/s/range/r%d-%d {"spec":{"hint":"l%d"}}`, round, writer, round)
			if writer == 0 {
				line = fmt.Sprintf(`put site/s/limit/l%d {}`, round)
			}
			errs[writer] = e.try(s, line)
		})
		if errs[0] != nil {
			e.Fatal(errs[0])
		}
		for writer, err := range errs[1:] {
			if err != nil && !strings.Contains(refusal(err), "the hint is there") {
				e.Fatalf("round %d, writer %d: %v", round, writer+1, err)
			}
			if err != nil || !e.backend.Capabilities().Versions {
				continue
			}
			for v, err := range e.backend.Versions(e.Context(), dovetail.ID(fmt.Sprintf("site/s/range/r%d-%d", round, writer+1))) {
				if err != nil {
					e.Fatal(err)
				}
				if _, err := e.at(v.Cursor).Get(e.Context(), dovetail.ID(fmt.Sprintf("site/s/limit/l%d", round))); dovetail.CodeOf(err) != dovetail.CodeNotFound {
					e.Fatalf("round %d: writer %d was done after the target came: %v", round, writer+1, err)
				}
			}
		}
	}
}

// testImmutableAmongWriters has each writer create one document with a value of its own: all that succeed keep the value of the first.
func testImmutableAmongWriters(e *env) {
	stores := e.connections()
	e.must(stores[0], "put site/s {}")
	for round := range rounds.Of(10, 200) {
		won := make([]bool, writersOf)
		e.among(stores, func(s *store.Store, writer int) {
			err := e.try(s, fmt.Sprintf(`put site/s/range/r%d {"spec":{"region":%d}}`, round, writer))
			if won[writer] = err == nil; err != nil && refusal(err) != "IMMUTABLE" {
				e.Error(err)
			}
		})
		if n := len(slices.DeleteFunc(won, func(w bool) bool { return !w })); n != 1 {
			e.Fatalf("round %d: %d writers gave the document its immutable value", round, n)
		}
	}
	e.wantClean()
}

// testOneAction has all writers do the action that is possible once.
func testOneAction(e *env) {
	stores := e.connections()
	e.must(stores[0], "put cluster/c {}")
	for round := range rounds.Of(10, 200) {
		action := []string{"apply", "terminate"}[round%2]
		won := make([]bool, writersOf)
		e.among(stores, func(s *store.Store, writer int) {
			err := e.try(s, "action cluster/c "+action)
			if won[writer] = err == nil; err != nil && refusal(err) != store.ReasonState {
				e.Error(err)
			}
		})
		if n := len(slices.DeleteFunc(won, func(w bool) bool { return !w })); n != 1 {
			e.Fatalf("round %d: %d writers did %s", round, n, action)
		}
	}
	e.wantClean()
}

// testNeededState runs a job, which needs an applied cluster, while the cluster is applied and terminated.
func testNeededState(e *env) {
	stores := e.connections()
	e.must(stores[0], "put cluster/c {}", `put job/j {"spec":{"cluster":"c"}}`)
	lines := []string{"action job/j run", "action job/j stop", "action cluster/c apply", "action cluster/c terminate"}
	e.among(stores, func(s *store.Store, writer int) {
		for range rounds.Of(12, 300) {
			if err := e.try(s, lines[writer%len(lines)]); err != nil && refusal(err) != store.ReasonState {
				e.Errorf("%s: %v", lines[writer%len(lines)], err)
			}
		}
	})
	if !e.backend.Capabilities().Versions {
		return
	}
	for v, err := range e.backend.Versions(e.Context(), "job/j") {
		if err != nil {
			e.Fatal(err)
		}
		then := e.at(v.Cursor)
		job, err := then.Get(e.Context(), "job/j")
		if err != nil {
			e.Fatal(err)
		}
		cluster, err := then.Get(e.Context(), "cluster/c")
		if err != nil {
			e.Fatal(err)
		}
		// Only run leads to Running; the list of actions names it in later states, too.
		if strings.Contains(string(job.Status), `"lifecycle":{"state":"Running"`) && !strings.Contains(string(cluster.Status), `"lifecycle":{"state":"Applied"`) {
			e.Errorf("the job was run while the cluster was %s", cluster.Status)
		}
	}
}

// testUniqueAmongWriters has all writers take one value, and one target.
func testUniqueAmongWriters(e *env) {
	stores := e.connections()
	e.must(stores[0], "put site/s {}")
	for round := range rounds.Of(10, 200) {
		e.must(stores[0], fmt.Sprintf(`put site/s/limit/l%d {}`, round))
		won := make([]bool, writersOf)
		e.among(stores, func(s *store.Store, writer int) {
			line := fmt.Sprintf(`put site/s/range/r%d-%d {"spec":{"serial":%d}}`, round, writer, round)
			if round%2 == 1 {
				line = fmt.Sprintf(`put site/s/range/r%d-%d {"spec":{"own":"l%d"}}`, round, writer, round)
			}
			err := e.try(s, line)
			if won[writer] = err == nil; err != nil && refusal(err) != store.ReasonNotUnique && refusal(err) != store.ReasonTaken {
				e.Error(err)
			}
		})
		if n := len(slices.DeleteFunc(won, func(w bool) bool { return !w })); n != 1 {
			e.Fatalf("round %d: %d writers took it", round, n)
		}
	}
	e.wantClean()
}

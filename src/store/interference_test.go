package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// answerOf is all that the answer to a transaction reveals, except times.
func answerOf(result *store.Result, err error) string {
	if err != nil {
		var b strings.Builder
		var tell func(e *dovetail.Error)
		tell = func(e *dovetail.Error) {
			fmt.Fprintf(&b, "%s %s %s key %s missing %v total %d", e.Code, e.Reason, e.Message, e.Key, e.Missing, e.Total)
			if e.BlockedBy != nil {
				fmt.Fprintf(&b, " blocked by %+v", *e.BlockedBy)
			}
			if e.Current != nil {
				fmt.Fprintf(&b, " current %s", e.Current.Data)
			}
			for _, part := range e.Errors {
				b.WriteByte('\n')
				tell(part)
			}
		}
		tell(dovetail.AsError(err))
		return b.String()
	}
	var all []string
	for _, o := range slices.Concat(result.Outcomes, result.Cascaded) {
		doc := o.Document
		text, err := json.Marshal(map[string]any{"data": string(doc.Data), "status": string(doc.Status), "content": len(doc.Content),
			"references": doc.References, "revision": doc.Revision, "because": o.Cause, "warnings": len(o.Warnings)})
		if err != nil {
			return err.Error()
		}
		all = append(all, string(o.Effect)+" "+string(doc.ID)+" "+string(text))
	}
	return strings.Join(all, "\n")
}

// TestNonInterference makes two stores that differ only in what ann may not read, and does the same in both as ann: the
// answers are the same.
func TestNonInterference(t *testing.T) {
	many := func(kind string, n int) (lines []string) {
		for i := range n {
			lines = append(lines, fmt.Sprintf(`create project/p/%s/x%02d {"spec":{"app":"a"}}`, kind, i))
		}
		return lines
	}
	tests := []struct {
		name      string
		have      []string
		one, two  []string // what differs
		ops       []string
		different bool // the declassified cases, which show that the test sees a difference
	}{
		{name: "an equal put is an update", have: []string{"update project/p/app"}, one: []string{`put project/p/app/a {"x":1}`}, two: []string{`put project/p/app/a {"x":2}`},
			ops: []string{`put project/p/app/a {"x":1}`}},
		{name: "a status is not shown", have: []string{"update project/p/app"}, one: []string{`status project/p/app/a {"x":1}`}, two: []string{`status project/p/app/a {"x":2}`},
			ops: []string{`put project/p/app/a {"x":1}`}},
		{name: "an equal status is an update", have: []string{"act project/p/app"}, one: []string{`status project/p/app/a {"x":1}`}, two: []string{`status project/p/app/a {"x":2}`},
			ops: []string{`status project/p/app/a {"x":1}`}},
		{name: "a patch is refused", have: []string{"update project/p/app"}, one: []string{`put project/p/app/a {"x":1}`}, two: []string{`put project/p/app/a {"y":{"z":2}}`},
			ops: []string{`patch project/p/app/a {"x":null}`}},
		{name: "what is deleted is not shown", have: []string{"delete project/p"}, one: []string{`put project/p/app/b {"x":1}`}, two: []string{`put project/p/app/b {"x":2}`},
			ops: []string{"cascade-delete project/p/app/b"}},
		{name: "a creation of what is there", have: []string{"create project/p"}, one: []string{`put project/p/app/b {"x":1}`}, two: []string{`put project/p/app/b {"x":2}`},
			ops: []string{`create project/p/app/b {"x":1}`}},
		{name: "which documents are in the way", have: []string{"delete project/p/app"}, one: many("profile", 1), two: []string{`create project/p/profile/other {"spec":{"app":"a"}}`},
			ops: []string{"delete project/p/app/a"}},
		{name: "how many documents are in the way", have: []string{"delete project/p/app", "read project/p/app", "read project/p/profile/x00"}, one: many("profile", 2), two: many("profile", 30),
			ops: []string{"delete project/p/app/a"}},
		{name: "which documents are below", have: []string{"delete project/p/app"}, one: []string{"create project/p/app/a/version/1"}, two: []string{"create project/p/app/a/version/2", "create project/p/app/a/version/3"},
			ops: []string{"delete project/p/app/a"}},
		{name: "a cascade over what may not be read", have: []string{"delete project/p/app"}, one: many("profile", 1), two: many("profile", 3),
			ops: []string{"cascade-delete project/p/app/a"}},
		{name: "a cascade that may delete what may not be read", have: []string{"delete project/p"}, one: many("profile", 1), two: many("profile", 3),
			ops: []string{"cascade-delete project/p/app/a"}},
		{name: "a rule's cascade over what may not be read", have: []string{"delete project/p/app"}, one: many("hook", 1), two: many("hook", 3),
			ops: []string{"delete project/p/app/a"}},
		{name: "a reference to what may not be read", have: []string{"create project/p"}, one: []string{"create project/p/app/new"}, two: nil,
			ops: []string{`create project/p/profile/n {"spec":{"app":"new"}}`}},
		{name: "a weak reference to what may not be read", have: []string{"create project/p"}, one: []string{"create project/p/app/new"}, two: nil,
			ops: []string{`create project/p/note/n {"spec":{"app":"new"}}`}},
		{name: "a weak reference that stays", have: []string{"update project/p/note", "read project/p/note"}, one: []string{`create project/p/note/n {"spec":{"app":"new"}}`, "create project/p/app/new"},
			two: []string{`create project/p/note/n {"spec":{"app":"new"}}`}, ops: []string{`patch project/p/note/n {"x":1}`}},
		{name: "one of several references", have: []string{"create project/p/pick", "read project/p/app"}, one: []string{"create project/p/app/n", "create project/p/profile/n"}, two: []string{"create project/p/app/n"},
			ops: []string{`create project/p/pick/n {"spec":{"choice":"n"}}`}},
		{name: "a document that may be created exists", have: []string{"create project/p"}, one: []string{"create project/p/app/n"}, ops: []string{"create project/p/app/n"}, different: true},
		{name: "something holds a document that may be deleted", have: []string{"delete project/p/app"}, one: many("profile", 1), ops: []string{"delete project/p/app/a"}, different: true},
	}
	for _, tt := range tests {
		for _, dryRun := range []bool{true, false} {
			t.Run(tt.name+fmt.Sprintf("/dry run %v", dryRun), func(t *testing.T) {
				var answers []string
				for _, more := range [][]string{tt.one, tt.two} {
					s := openWith(t, testSchema, store.Config{Guard: guard{"root": {"read", "create", "update", "delete", "act", "use"}, "ann": tt.have}})
					base := ops(t, "create project/p", "create project/p/app/a", "create project/p/app/b")
					if _, err := s.Apply(as(t, "root"), base, store.Options{}); err != nil {
						t.Fatal(err)
					}
					for _, line := range more {
						applyAs(as(t, "root"), t, s, line)
					}
					answers = append(answers, answerOf(s.Apply(as(t, "ann"), ops(t, tt.ops...), store.Options{DryRun: dryRun})))
				}
				if (answers[0] != answers[1]) != tt.different {
					t.Errorf("answered is\n%s\nand\n%s", answers[0], answers[1])
				}
			})
		}
	}
}

// inputSchema has rules and lifecycles that read each kind of input.
const inputSchema = `
resources:
  - name: site
    lifecycle:
      initial: Open
      actions: {close: {from: [Open], to: Closed}}
      freeze: {put: [Closed], delete: [Closed], children: {door: [Closed]}}
  - name: device
    parent: site
  - name: rack
    parent: site
  - name: port
    parent: site
    rules: [{expr: "!has(self.spec.g) || !has(parent.spec.secret) || parent.spec.secret == self.spec.g"}]
  - name: door
    parent: site
    references: [{name: device, at: spec.device, onDelete: cascade}]
  - name: plug
    parent: site
    references:
      - {name: device, at: spec.device}
      - {oneOf: [device, rack], at: spec.at}
    rules:
      - {expr: "!has(refs.device) || self.spec.speed <= refs.device.spec.speed"}
      - {expr: "!has(refs.at) || self.spec.speed <= refs.at.spec.speed"}
  - name: limit
    parent: site
    rules: [{expr: "self.spec.max >= oldSelf.spec.max"}]
  - name: fixed
    parent: site
    immutable: [spec.id]
  - name: job
    references: [{name: site, at: spec.site, onDelete: cascade}]
    lifecycle:
      initial: New
      actions: {run: {from: [New], to: Ran, needs: {site: [Closed]}}, stop: {from: [New, Ran], to: Stopped}}
      freeze: {put: [Stopped], delete: [Stopped]}
  - name: step
    parent: job
    lifecycle: {initial: New, actions: {run: {from: [New], to: Ran, needs: {job: [Ran]}}}}
`

// actionsAndOps is ops, with actions as "do ACTION ID".
func actionsAndOps(t *testing.T, lines ...string) (all []store.Operation) {
	t.Helper()
	for _, line := range lines {
		if action, does := strings.CutPrefix(line, "do "); does {
			name, id, _ := strings.Cut(action, " ")
			all = append(all, store.NewAction(dovetail.ID(id), name, nil))
			continue
		}
		all = append(all, op(t, line))
	}
	return all
}

// TestNonInterferenceOfInputs makes stores that differ in what a rule or a lifecycle reads, and ann may not read, and does the same in
// them as ann. The answers are the same, and those of a principal that may read the inputs differ.
func TestNonInterferenceOfInputs(t *testing.T) {
	const device, port, plug, door = `put site/s/device/d {"spec":{"speed":%d}}`, "create site/s/port/p ", "create site/s/plug/p ", "create site/s/door/p "
	closed, slow, fast := []string{"do close site/s"}, []string{fmt.Sprintf(device, 1)}, []string{fmt.Sprintf(device, 9)}
	tests := []struct {
		name     string
		have     []string
		inputs   []string // the rights to read with which the answers differ
		one, two []string // what differs
		ops      []string
	}{
		{name: "parent", have: []string{"create site/s/port"}, inputs: []string{"read site/s"}, one: []string{`put site/s {"spec":{"secret":"a"}}`},
			two: []string{`put site/s {"spec":{"secret":"b"}}`}, ops: []string{port + `{"spec":{"g":"a"}}`}},
		{name: "parent of a patch", have: []string{"update site/s/port", "read site/s/port"}, inputs: []string{"read site/s"}, one: []string{"create site/s/port/p", `put site/s {"spec":{"secret":"a"}}`},
			two: []string{"create site/s/port/p", `put site/s {"spec":{"secret":"b"}}`}, ops: []string{`patch site/s/port/p {"spec":{"g":"a"}}`}},
		{name: "parent in the transaction that fails to write it", have: []string{"create site/s", "update site/s"}, inputs: []string{"read site/s"}, one: []string{`put site/s {"spec":{"secret":"a"}}`},
			two: []string{`put site/s {"spec":{"secret":"b"}}`}, ops: []string{`patch site/s {"x":1}`, port + `{"spec":{"g":"a"}}`}},
		{name: "parent whose status is written in the transaction", have: []string{"create site/s/port", "act site/s"}, inputs: []string{"read site/s"}, one: []string{`put site/s {"spec":{"secret":"a"}}`},
			two: []string{`put site/s {"spec":{"secret":"b"}}`}, ops: []string{`status site/s {"x":1}`, port + `{"spec":{"g":"a"}}`}},
		{name: "target", have: []string{"create site/s/plug", "use"}, inputs: []string{"read site/s/device"}, one: slow, two: fast,
			ops: []string{plug + `{"spec":{"speed":5,"device":"d"}}`}},
		{name: "target that stays", have: []string{"update site/s/plug", "read site/s/plug"}, inputs: []string{"read site/s/device"},
			one: append(slices.Clone(slow), plug+`{"spec":{"speed":0,"device":"d"}}`), two: append(slices.Clone(fast), plug+`{"spec":{"speed":0,"device":"d"}}`),
			ops: []string{`patch site/s/plug/p {"spec":{"speed":5}}`}},
		{name: "one of several targets", have: []string{"create site/s/plug", "use"}, inputs: []string{"read site/s/device", "read site/s/rack"}, one: slow, two: fast,
			ops: []string{plug + `{"spec":{"speed":5,"at":"d"}}`}},
		{name: "which of several targets exists", have: []string{"create site/s/plug", "read site/s/device", "use site/s/rack"}, inputs: []string{"read site/s/rack"}, one: fast,
			two: []string{"delete site/s/device/d", "create site/s/rack/d"}, ops: []string{plug + `{"spec":{"speed":5,"at":"d"}}`}},
		{name: "old data", have: []string{"update site/s/limit", "create site/s/limit"}, inputs: []string{"read site/s"}, one: []string{`create site/s/limit/l {"spec":{"max":1}}`},
			two: []string{`create site/s/limit/l {"spec":{"max":9}}`}, ops: []string{`put site/s/limit/l {"spec":{"max":5}}`}},
		{name: "immutable value", have: []string{"update site/s/fixed"}, inputs: []string{"read site/s"}, one: []string{`create site/s/fixed/f {"spec":{"id":"a"}}`},
			two: []string{`create site/s/fixed/f {"spec":{"id":"b"}}`}, ops: []string{`put site/s/fixed/f {"spec":{"id":"a"}}`}},
		{name: "frozen document", have: []string{"update site/s"}, inputs: []string{"read site/s"}, one: closed, ops: []string{`put site/s {"spec":{}}`}},
		{name: "frozen document that is equal", have: []string{"update site/s"}, inputs: []string{"read site/s"}, one: append([]string{`put site/s {"spec":{"x":1}}`}, closed...),
			two: append([]string{`put site/s {"spec":{"x":2}}`}, closed...), ops: []string{`put site/s {"spec":{"x":1}}`}},
		{name: "frozen deletion", have: []string{"delete job"}, inputs: []string{"read job"}, one: []string{"do stop job/j"}, ops: []string{"delete job/j"}},
		{name: "frozen cascade", have: []string{"delete site/s", "read site/s", "delete job/j"}, inputs: []string{"read job/j"}, one: []string{"do stop job/j"},
			ops: []string{"cascade-delete site/s"}},
		{name: "parent that freezes its children", have: []string{"create site/s/door"}, inputs: []string{"read site/s"}, one: closed, ops: []string{door + `{"spec":{}}`}},
		{name: "parent that freezes what a cascade deletes", have: []string{"delete site/s/device", "read site/s/device", "delete site/s/door", "read site/s/door"}, inputs: []string{"read site/s"},
			one: append([]string{door + `{"spec":{"speed":0,"device":"d"}}`}, closed...), two: []string{door + `{"spec":{"speed":0,"device":"d"}}`}, ops: []string{"delete site/s/device/d"}},
		{name: "child that its parent freezes", have: []string{"delete site/s/device", "read site/s/device", "delete site/s/door"}, inputs: []string{"read site/s"},
			one: append([]string{door + `{"spec":{"speed":0,"device":"d"}}`}, closed...), two: []string{door + `{"spec":{"speed":0,"device":"d"}}`}, ops: []string{"delete site/s/device/d"}},
		{name: "state of the document of an action", have: []string{"act job/j"}, inputs: []string{"read job/j", "read site/s"}, one: []string{"do stop job/j"}, ops: []string{"do stop job/j"}},
		{name: "state of a target that an action needs", have: []string{"act job/j", "read job/j"}, inputs: []string{"read site/s"}, one: closed, ops: []string{"do run job/j"}},
		{name: "state of a parent that an action needs", have: []string{"act job/j/step/s", "read job/j/step/s"}, inputs: []string{"read job/j"}, one: append(slices.Clone(closed), "do run job/j"),
			two: closed, ops: []string{"do run job/j/step/s"}},
	}
	for _, tt := range tests {
		for _, dryRun := range []bool{true, false} {
			t.Run(tt.name+fmt.Sprintf("/dry run %v", dryRun), func(t *testing.T) {
				for _, reads := range []bool{false, true} {
					have := slices.Clone(tt.have)
					if reads {
						have = append(have, tt.inputs...)
					}
					var answers []string
					for _, more := range [][]string{tt.one, tt.two} {
						s := openWith(t, inputSchema, store.Config{Guard: guard{"root": {"read", "create", "update", "delete", "act", "use"}, "ann": have}})
						applyAs(as(t, "root"), t, s, "create site/s", fmt.Sprintf(device, 3), `create job/j {"spec":{"site":"s"}}`, "create job/j/step/s")
						for _, line := range more {
							if _, err := s.Apply(as(t, "root"), actionsAndOps(t, line), store.Options{}); err != nil {
								t.Fatal(err)
							}
						}
						answers = append(answers, answerOf(s.Apply(as(t, "ann"), actionsAndOps(t, tt.ops...), store.Options{DryRun: dryRun})))
					}
					if (answers[0] != answers[1]) != reads {
						t.Errorf("reads the inputs: %v; answered is\n%s\nand\n%s", reads, answers[0], answers[1])
					}
				}
			})
		}
	}
}

// A principal that may write a document but not read it learns its id, kind and version.
func TestAnswersToUnreadWrites(t *testing.T) {
	s := guarded(t, "create project/p", "update project/p", "delete project/p", "act project/p")
	applyAs(as(t, "root"), t, s, `put project/p/app/b {"secret":1}`, `status project/p {"secret":1}`)
	tests := []struct{ name, op, data string }{
		{name: "put", op: `put project/p/app/b {"x":1}`},
		{name: "status", op: `status project/p/app/b {"x":1}`},
		{name: "put of a new document", op: `put project/p/app/n {"x":1}`, data: `{"x":1}`},
		{name: "create", op: `create project/p/app/m {"x":1}`, data: `{"x":1}`},
		{name: "delete", op: "cascade-delete project/p/app/b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, options := range []store.Options{{DryRun: true}, {Key: tt.name}, {Key: tt.name}} {
				result, err := s.Apply(as(t, "ann"), ops(t, tt.op), options)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range slices.Concat(result.Outcomes, result.Cascaded) {
					doc := o.Document
					if doc.ID == "" || doc.Kind == "" || string(doc.Data) != tt.data || len(doc.Status)+len(doc.Content) > 0 || o.Effect != store.WasCreated && doc.References != nil {
						t.Errorf("%+v: shown is %+v", options, doc)
					}
				}
			}
		})
	}
}

// A refusal counts and names what may be read, and says only that there is more.
func TestBlockersThatMayNotBeRead(t *testing.T) {
	tests := []struct {
		name string
		have []string
		want string
		ids  []dovetail.ID
		more bool
	}{
		{name: "none", have: []string{"delete project/p"}, want: "project/p is in use by documents that you may not read", more: true},
		{name: "some", have: []string{"delete project/p", "read project/p/app"}, want: "project/p is in use by project/p/app/a, project/p/app/b, and documents that you may not read",
			ids: []dovetail.ID{"project/p/app/a", "project/p/app/b"}, more: true},
		{name: "all", have: []string{"delete project/p", "read project/p"}, want: "project/p is in use by project/p/app/a, project/p/app/b, project/p/hook/h and 1 more",
			ids: []dovetail.ID{"project/p/app/a", "project/p/app/b", "project/p/hook/h", "project/p/profile/f"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := guarded(t, tt.have...)
			for _, dryRun := range []bool{true, false} {
				_, err := s.Apply(as(t, "ann"), ops(t, "delete project/p"), store.Options{DryRun: dryRun})
				e := dovetail.AsError(err)
				if err == nil || e.BlockedBy == nil || e.Message != tt.want || !slices.Equal(e.BlockedBy.IDs, tt.ids) || e.BlockedBy.Total != len(tt.ids) || e.BlockedBy.Unreadable != tt.more {
					t.Errorf("dry run %v: got %v, blocked by %+v", dryRun, err, e.BlockedBy)
				}
			}
		})
	}
}

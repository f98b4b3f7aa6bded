package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// renameSchema has a rule of every form in which data refer to a document.
const renameSchema = `
resources:
  - name: site
  - name: rack
    parent: site
  - name: device
    parent: rack
    unique: [spec.serial]
  - name: port
    parent: device
  - name: cable # slots
    parent: site
    references:
      - {name: port, at: spec.a, exclusive: true}
      - {name: port, at: spec.b, exclusive: true}
      - {name: device, at: spec.via, map: {rack: cabinet, device: dev}}
      - {name: rack, at: "spec.racks[*]"}
      - {oneOf: [rack, device], at: spec.by.*}
  - name: plain # the last value found anywhere
    parent: site
    references: [{name: device}, {name: rack, field: home}]
  - name: many
    parent: site
    references: [{name: device, type: many}, {name: rack, type: many, field: racks}]
  - name: mapped
    parent: rack
    references: [{name: device, type: map, map: devices}]
  - name: near # from its own key
    parent: device
    references: [{name: port, onDelete: cascade}]
  - name: hint
    references: [{name: site, enforce: warn}]
`

// dataOf returns what a store holds, by id.
func dataOf(t testing.TB, s *store.Store) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		all[string(doc.ID)] = string(doc.Data)
	}
	return all
}

func TestRename(t *testing.T) {
	given := []string{"create site/s", "create site/q", "create site/s/rack/r", "create site/s/rack/r2", "create site/s/rack/r/device/d", "create site/s/rack/r/device/e",
		"create site/s/rack/r/device/d/port/p"}
	tests := []struct {
		name     string
		given    []string
		from, to string
		want     []string // documents as "ID DATA"; none of those that given begins with
		refused  string   // a part of the error
	}{
		{name: "a document and what is below it", from: "site/s/rack/r/device/d", to: "site/s/rack/r/device/x",
			want: []string{"site/s/rack/r/device/x {}", "site/s/rack/r/device/x/port/p {}"}},
		{name: "its names", given: []string{`create site/z {"metadata":{"name":"z"},"site":"z","spec":{"site":"z"}}`}, from: "site/z", to: "site/y",
			want: []string{`site/y {"metadata":{"name":"y"},"site":"y","spec":{"site":"z"}}`}},
		{name: "slots", given: []string{`create site/s/cable/c {"spec":{"a":{"rack":"r","device":"d","port":"p"},"via":{"cabinet":"r","dev":"d"},"racks":["r","r2"],"x":"d"}}`},
			from: "site/s/rack/r/device/d", to: "site/s/rack/r/device/x",
			want: []string{`site/s/cable/c {"spec":{"a":{"rack":"r","device":"x","port":"p"},"via":{"cabinet":"r","dev":"x"},"racks":["r","r2"],"x":"d"}}`}},
		{name: "texts and names of members at slots", given: []string{`create site/s/cable/c {"spec":{"racks":["r2","r"],"by":{"r":1,"r2":null}}}`},
			from: "site/s/rack/r", to: "site/s/rack/n",
			want: []string{`site/s/cable/c {"spec":{"racks":["r2","n"],"by":{"n":1,"r2":null}}}`}},
		{name: "the last value anywhere", given: []string{`create site/s/plain/c {"spec":{"device":"e","l":[{"rack":"r"},{"device":"d"}],"home":"r"}}`},
			from: "site/s/rack/r/device/d", to: "site/s/rack/r/device/x",
			want: []string{`site/s/plain/c {"spec":{"device":"e","l":[{"rack":"r"},{"device":"x"}],"home":"r"}}`}},
		{name: "lists", given: []string{`create site/s/many/c {"spec":{"l":[{"rack":"r","device":"d"},{"device":"e","rack":"r"},{"rack":"r","device":"d"}],"racks":["r","r2"]}}`},
			from: "site/s/rack/r", to: "site/s/rack/n",
			want: []string{`site/s/many/c {"spec":{"l":[{"rack":"n","device":"d"},{"device":"e","rack":"n"},{"rack":"n","device":"d"}],"racks":["n","r2"]}}`}},
		{name: "names of members", given: []string{`create site/s/rack/r/mapped/m {"spec":{"devices":{"d":1,"e":{"device":"d"}}}}`},
			from: "site/s/rack/r/device/d", to: "site/s/rack/r/device/x",
			want: []string{`site/s/rack/r/mapped/m {"spec":{"devices":{"x":1,"e":{"device":"d"}}}}`}},
		{name: "the own key", given: []string{`create site/s/rack/r/device/d/near/n {"spec":{"port":"p"}}`}, from: "site/s/rack/r", to: "site/q/rack/r",
			want: []string{`site/q/rack/r/device/d/near/n {"spec":{"port":"p"}}`}},
		{name: "weak references", given: []string{`create hint/h {"spec":{"site":"s"}}`}, from: "site/s", to: "site/n", want: []string{`hint/h {"spec":{"site":"n"}}`}},
		{name: "moved: written out where the own key no longer gives it", given: []string{`create site/s/cable/c {"spec":{"a":{"rack":"r","device":"d","port":"p"},"racks":["r2"]}}`},
			from: "site/s/rack/r", to: "site/q/rack/r", want: []string{`site/s/cable/c {"spec":{"a":{"rack":"r","device":"d","port":"p","site":"q"},"racks":["r2"]}}`}},
		{name: "moved: a text becomes an object", given: []string{`create site/s/cable/c {"spec":{"racks":["r","r2"]}}`},
			from: "site/s/rack/r", to: "site/q/rack/r", want: []string{`site/s/cable/c {"spec":{"racks":[{"rack":"r","site":"q"},"r2"]}}`}},
		{name: "a unique value goes along", given: []string{`put site/s/rack/r/device/d {"spec":{"serial":1}}`}, from: "site/s/rack/r/device/d", to: "site/s/rack/r2/device/d",
			want: []string{`site/s/rack/r2/device/d {"spec":{"serial":1}}`}},

		{name: "taken", from: "site/s/rack/r/device/d", to: "site/s/rack/r/device/e", refused: "site/s/rack/r/device/e exists already"},
		{name: "no such document", from: "site/s/rack/zz", to: "site/s/rack/y", refused: "site/s/rack/zz does not exist"},
		{name: "no such parent", from: "site/s/rack/r", to: "site/zz/rack/r", refused: "its parent site/zz does not exist"},
		{name: "another kind", from: "site/s/rack/r", to: "site/s/cable/r", refused: "is a rack, and site/s/cable/r is the id of a cable"},
		{name: "the same", from: "site/s/rack/r", to: "site/s/rack/r", refused: "has that id already"},
		{name: "a bad name", from: "site/s/rack/r", to: "site/s/rack/%20r", refused: "begins or ends with a space"},
		{name: "names of members that exist", given: []string{`create site/s/rack/r/mapped/m {"spec":{"devices":{"d":1}}}`, `create site/s/rack/r/mapped/n {"spec":{"devices":{"e":1}}}`},
			from: "site/s/rack/r/device/d", to: "site/s/rack/r2/device/d", refused: "site/s/rack/r/mapped/m cannot be rewritten"},
		{name: "one value for two references", given: []string{`create site/s/plain/c {"spec":{"rack":"r","device":"d"}}`, `create site/s/many/m {"spec":{"rack":"r","device":"d","racks":["r"]}}`, `create site/s/many/n {"spec":{"device":"d","l":{"rack":"r","device":"e"},"rack":"r"}}`},
			from: "site/s/rack/r/device/d", to: "site/s/rack/r2/device/d",
			want: []string{`site/s/plain/c {"spec":{"rack":"r2","device":"d"}}`, `site/s/many/m {"spec":{"rack":"r2","device":"d","racks":["r"]}}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, renameSchema)
			apply(t, s, given...)
			for _, line := range test.given {
				apply(t, s, line)
			}
			before := dataOf(t, s)
			from, to := dovetail.ID(test.from), dovetail.ID(test.to)
			plan, err := s.Rename(t.Context(), from, to, store.Options{DryRun: true})
			if after := dataOf(t, s); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Fatalf("the dry run changed %v to %v", before, after)
			}
			done, doneErr := s.Rename(t.Context(), from, to, store.Options{})
			if fmt.Sprint(err) != fmt.Sprint(doneErr) {
				t.Errorf("the plan said %v, then: %v", err, doneErr)
			}
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("answered %v, want %s", err, test.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if renderEffects(plan) != renderEffects(done) {
				t.Errorf("planned %s\ndone    %s", renderEffects(plan), renderEffects(done))
			}
			after := dataOf(t, s)
			for _, line := range test.want {
				if id, data, _ := strings.Cut(line, " "); after[id] != data {
					t.Errorf("%s is %s\nwant %s", id, after[id], data)
				}
			}
			for id := range after {
				if dovetail.ID(id) == from || dovetail.ID(id).IsDescendantOf(from) {
					t.Errorf("%s is still there", id)
				}
			}
			requireClean(t, s)
		})
	}
}

// renderEffects renders what a transaction did, documents included.
func renderEffects(r *store.Result) string {
	var lines []string
	for _, o := range r.Outcomes {
		lines = append(lines, fmt.Sprint(o.Effect, " ", o.Document.ID, " ", string(o.Document.Data)))
	}
	return fmt.Sprint(r.References, " ", strings.Join(lines, "; "))
}

func TestHistoryOfRename(t *testing.T) {
	s := open(t, renameSchema)
	apply(t, s, "create site/s", "create site/s/rack/r")
	if _, err := s.Rename(t.Context(), "site/s", "site/n", store.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		id   dovetail.ID
		want string
	}{
		{"site/n/rack/r", "created site/s/rack/r Rename site/s to site/n"},
		{"site/s/rack/r", "deleted site/n/rack/r Rename site/s to site/n; created  "},
		{"site/n", "created site/s Rename site/s to site/n"},
	} {
		var lines []string
		for v, err := range s.History(t.Context(), test.id) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprint(v.Op, " ", v.Renamed, " ", v.Message))
		}
		if got := strings.Join(lines, "; "); got != test.want {
			t.Errorf("the history of %s is %q, want %q", test.id, got, test.want)
		}
	}
	page, err := s.Transactions(t.Context(), store.TransactionQuery{Limit: 1})
	if err != nil || len(page.Transactions) != 1 || page.Transactions[0].Origin != "rename:site/s site/n" || len(page.Transactions[0].Changes) != 4 {
		t.Errorf("the transaction is %+v, %v", page, err)
	}
}

// Who has no right to one of the documents renames nothing, and is shown no document that it may not read.
func TestRenameNeedsRights(t *testing.T) {
	tests := []struct {
		name string
		have []string
		want string // "" when it is allowed
	}{
		{name: "everything", have: []string{"read", "create", "update", "delete"}},
		{name: "only below the document", have: []string{"read site/s", "create site/n", "delete site/s"}, want: "may not change everything"},
		{name: "what refers to it may be read", have: []string{"read", "create site/n", "delete site/s"}, want: "ann may not update hint/h"},
		{name: "not created", have: []string{"read", "delete", "update"}, want: "ann may not create site/n"},
		{name: "not deleted", have: []string{"read", "create", "update"}, want: "ann may not delete site/s"},
		{name: "not read", have: []string{"create", "update", "delete"}, want: "ann may not read site/s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			admin := open(t, renameSchema)
			apply(t, admin, "create site/s", "create site/s/rack/r", `create hint/h {"spec":{"site":"s"}}`)
			s := openOn(t, admin.Backend(), admin.Model(), store.Config{Guard: guard{"ann": test.have}})
			_, err := s.Rename(as(t, "ann"), "site/s", "site/n", store.Options{})
			switch {
			case test.want == "":
				if err != nil {
					t.Error(err)
				}
			case dovetail.CodeOf(err) != dovetail.CodeForbidden || !strings.Contains(err.Error(), test.want):
				t.Errorf("answered %v, want %s", err, test.want)
			case strings.Contains(test.want, "everything") && strings.Contains(err.Error(), "hint"):
				t.Errorf("%v names what may not be read", err)
			}
		})
	}
}

// The refusal of a rename by a principal without the rights is the same whatever the documents that it may not read hold.
func TestRenameRefusalIgnoresUnreadable(t *testing.T) {
	tests := []struct {
		name     string
		have     []string
		from, to dovetail.ID
		hidden   string // exists in one of the two stores only
	}{
		{name: "the new id is taken", have: []string{"read site/s", "create site/s", "delete site/s", "update site/s"}, from: "site/s", to: "site/taken",
			hidden: "create site/taken"},
		{name: "the new id is taken, no right to delete", have: []string{"read", "create", "update"}, from: "site/s", to: "site/taken", hidden: "create site/taken"},
		{name: "the new id is taken below another parent", have: []string{"read site/s", "create site/s", "delete site/s", "update site/s"},
			from: "site/s/rack/r", to: "site/q/rack/taken", hidden: "create site/q/rack/taken"},
		{name: "a child that may not be changed, its rewriting fails", have: []string{"read site/s/rack/r/device/d", "delete site/s/rack/r/device/d", "create"},
			from: "site/s/rack/r/device/d", to: "site/s/rack/r2/device/d", hidden: `create site/s/rack/r/mapped/m {"spec":{"devices":{"d":2}}}`},
		{name: "a referrer that may be changed, its rewriting fails", have: []string{"read site/s/rack/r/device/d", "delete site/s/rack/r/device/d", "create", "update"},
			from: "site/s/rack/r/device/d", to: "site/s/rack/r2/device/d", hidden: `create site/s/rack/r/mapped/m {"spec":{"devices":{"d":2}}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var answers [2]string
			for n := range answers {
				admin := open(t, renameSchema)
				apply(t, admin, "create site/s", "create site/q", "create site/s/rack/r", "create site/s/rack/r2", "create site/s/rack/r/device/d",
					`create site/s/many/always {"spec":{"rack":"r","device":"d"}}`)
				if n == 1 {
					apply(t, admin, test.hidden)
				}
				s := openOn(t, admin.Backend(), admin.Model(), store.Config{Guard: guard{"ann": test.have}})
				for _, dryRun := range []bool{true, false} {
					_, err := s.Rename(as(t, "ann"), test.from, test.to, store.Options{DryRun: dryRun})
					if dovetail.CodeOf(err) != dovetail.CodeForbidden {
						t.Errorf("dry run %v: %v, want that it is forbidden", dryRun, err)
					}
					answers[n] += fmt.Sprintln(err)
				}
			}
			if answers[0] != answers[1] {
				t.Errorf("answered\n%s\nand with %s\n%s", answers[0], test.hidden, answers[1])
			}
		})
	}
}

// A rename and the one back leave every document as it was; in between everything that was referred to is so under its new id.
func TestRenamesLikeModel(t *testing.T) {
	names := []string{"a", "b", "c"}
	rounds.Checks(t, 40, 1000)
	rapid.Check(t, func(rt *rapid.T) {
		s := openOnce(t, rt, renameSchema)
		name := rapid.SampledFrom(names)
		member := func(key string) string { return fmt.Sprintf("%q:%q", key, name.Draw(rt, key)) }
		apply(t, s, "create site/a", "create site/b")
		for range rapid.IntRange(3, 25).Draw(rt, "documents") {
			site := "site/" + rapid.SampledFrom(names[:2]).Draw(rt, "site")
			rack := site + "/rack/" + name.Draw(rt, "rack")
			device := rack + "/device/" + name.Draw(rt, "device")
			port := `{` + member("rack") + `,` + member("device") + `,` + member("port") + `}`
			line := rapid.SampledFrom([]string{rack, device, device, device + "/port/a", device + "/port/b",
				site + "/cable/" + name.Draw(rt, "cable") + ` {"spec":{"a":` + port + `,"racks":["` + name.Draw(rt, "text") + `"],"by":{"` + name.Draw(rt, "by") + `":{` + member("rack") + `}}}}`,
				site + "/plain/a " + `{"spec":{` + member("device") + `,"x":{` + member("rack") + `},` + member("home") + `}}`,
				site + "/many/a " + `{"spec":{"l":[{` + member("rack") + `,` + member("device") + `},{` + member("rack") + `,` + member("device") + `}],"racks":["` + name.Draw(rt, "text") + `"]}}`,
				rack + "/mapped/a " + `{"spec":{"devices":{"` + name.Draw(rt, "member") + `":1}}}`,
				device + "/near/a " + `{"spec":{` + member("port") + `}}`}).Draw(rt, "document")
			_, _ = s.Apply(t.Context(), ops(t, "put "+line), store.Options{}) // refused where something is missing
		}
		before := dataOf(t, s)
		var ids []string
		for id := range before {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		from := dovetail.ID(rapid.SampledFrom(ids).Draw(rt, "from"))
		key := from.Key()
		key[len(key)-1].Value = rapid.SampledFrom([]string{"a", "c", "new", "a new/one"}).Draw(rt, "name")
		if len(key) > 1 && rapid.Bool().Draw(rt, "moves") {
			key[0].Value = rapid.SampledFrom(names[:2]).Draw(rt, "to")
		}
		to := key.ID()
		references := referencesOf(t, s)
		done, err := s.Rename(t.Context(), from, to, store.Options{})
		if err != nil {
			if after := dataOf(t, s); fmt.Sprint(after) != fmt.Sprint(before) {
				rt.Fatalf("refused with %v, but changed %v to %v", err, before, after)
			}
			return
		}
		for i, line := range references {
			references[i] = strings.Join(mapWords(strings.Fields(line), func(id string) string {
				if id == string(from) || strings.HasPrefix(id, string(from)+"/") {
					return string(to) + id[len(from):]
				}
				return id
			}), " ")
		}
		slices.Sort(references)
		if got := referencesOf(t, s); !slices.Equal(got, references) {
			rt.Fatalf("%s became %s: references %q\nwant %q", from, to, got, references)
		}
		requireClean(t, s)
		explicit := false
		for _, o := range done.Outcomes { // elements that are written out stay so
			id := string(o.Document.ID)
			if rest, moved := strings.CutPrefix(id, string(to)); moved && (rest == "" || rest[0] == '/') {
				id = string(from) + rest
			}
			if was := before[id]; o.Effect != store.WasDeleted && strings.Count(was, ":") != strings.Count(string(o.Document.Data), ":") {
				explicit = true
			}
		}
		if _, err := s.Rename(t.Context(), to, from, store.Options{}); err != nil {
			rt.Fatalf("back: %v", err)
		}
		if after := dataOf(t, s); !explicit && fmt.Sprint(after) != fmt.Sprint(before) {
			rt.Fatalf("there and back:\n%v\nbefore:\n%v", after, before)
		}
		requireClean(t, s)
	})
}

// referencesOf returns the references of all documents, as "FROM TO", sorted.
func referencesOf(t testing.TB, s *store.Store) (all []string) {
	t.Helper()
	for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range doc.References {
			all = append(all, string(doc.ID)+" "+string(ref.ID))
		}
	}
	slices.Sort(all)
	return all
}

func mapWords(words []string, to func(string) string) []string {
	for i, w := range words {
		words[i] = to(w)
	}
	return words
}

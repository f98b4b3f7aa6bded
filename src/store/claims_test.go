package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

const claimSchema = `
resources:
  - name: site
  - name: device
    parent: site
    unique:
      - spec.serial
      - {paths: [spec.ip, spec.vlan], within: site}
      - spec.macs[*]
  - name: note
    parent: device
    references:
      - {name: device, field: about, onDelete: cascade}
`

// claimsOf returns the claims of a store as "HOLDER CONSTRAINT", sorted.
func claimsOf(t testing.TB, s *store.Store) []string {
	t.Helper()
	var all []string
	for doc, err := range s.Backend().List(context.Background(), store.Query{Kind: "_claim"}) {
		if err != nil {
			t.Fatal(err)
		}
		var held struct{ Holder, Constraint string }
		if err := json.Unmarshal(doc.Data, &held); err != nil {
			t.Fatal(err)
		}
		all = append(all, held.Holder+" "+held.Constraint)
	}
	slices.Sort(all)
	return all
}

// conflicts renders what is in the way as lines "INDEX REASON KEY PATH by HOLDER"; other errors as describe does.
func conflicts(err error) []string {
	if err == nil {
		return nil
	}
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		e = &dovetail.Error{Errors: []*dovetail.Error{e}}
	}
	var lines []string
	for _, part := range e.Errors {
		if part.Code != dovetail.CodeConflict || part.Reason == "" {
			lines = append(lines, describe(part)...)
			continue
		}
		by := "?"
		if part.BlockedBy != nil && len(part.BlockedBy.IDs) > 0 {
			by = join(part.BlockedBy.IDs)
		}
		lines = append(lines, fmt.Sprintf("%d %s %s %s by %s", part.Index, part.Reason, part.Key, part.Position.Path, by))
	}
	return lines
}

func TestUnique(t *testing.T) {
	device := func(id, spec string) string {
		return "put site/" + strings.Replace(id, "/", "/device/", 1) + ` {"spec":` + spec + `}`
	}
	tests := []struct {
		name  string
		given []string
		when  []string
		want  []string // none means success
	}{
		{name: "other values", given: []string{device("s/a", `{"serial":"1"}`)}, when: []string{device("s/b", `{"serial":"2"}`)}},
		{name: "the same value", given: []string{device("s/a", `{"serial":"1"}`)}, when: []string{device("s/b", `{"serial":"1"}`)},
			want: []string{"1 NOT_UNIQUE site/s/device/b /spec/serial by site/s/device/a"}},
		{name: "the same value elsewhere", given: []string{device("s/a", `{"serial":"1"}`)}, when: []string{device("q/a", `{"serial":"1"}`)},
			want: []string{"1 NOT_UNIQUE site/q/device/a /spec/serial by site/s/device/a"}},
		{name: "a number is no string", given: []string{device("s/a", `{"serial":"1"}`)}, when: []string{device("s/b", `{"serial":1}`)}},
		{name: "equal numbers", given: []string{device("s/a", `{"serial":10}`)}, when: []string{device("s/b", `{"serial":1.0e1}`)},
			want: []string{"1 NOT_UNIQUE site/s/device/b /spec/serial by site/s/device/a"}},
		{name: "equal objects", given: []string{device("s/a", `{"serial":{"a":1,"b":[-0.5,true]}}`)}, when: []string{device("s/b", `{"serial":{"b":[-5e-1,true],"a":1.0}}`)},
			want: []string{"1 NOT_UNIQUE site/s/device/b /spec/serial by site/s/device/a"}},
		{name: "absent and null", given: []string{device("s/a", `{"serial":null}`), device("s/b", `{}`)}, when: []string{device("s/c", `{"serial":null}`), device("s/d", `{}`)}},
		{name: "an empty string is a value", given: []string{device("s/a", `{"serial":""}`)}, when: []string{device("s/b", `{"serial":""}`)},
			want: []string{"1 NOT_UNIQUE site/s/device/b /spec/serial by site/s/device/a"}},
		{name: "a combination below one ancestor", given: []string{device("s/a", `{"ip":"x","vlan":1}`)},
			when: []string{device("s/b", `{"ip":"x","vlan":1}`), device("s/c", `{"ip":"x","vlan":2}`), device("q/a", `{"ip":"x","vlan":1}`), device("s/d", `{"ip":"x"}`)},
			want: []string{"1 NOT_UNIQUE site/s/device/b /spec/ip by site/s/device/a"}},
		{name: "of a list each value", given: []string{device("s/a", `{"macs":["1","2","2"]}`)}, when: []string{device("s/b", `{"macs":["3","2","1"]}`)},
			want: []string{"1 NOT_UNIQUE site/s/device/b /spec/macs/1 by site/s/device/a", "1 NOT_UNIQUE site/s/device/b /spec/macs/2 by site/s/device/a"}},
		{name: "twice in one transaction", when: []string{device("s/a", `{"serial":"1"}`), device("s/b", `{"serial":"1"}`)},
			want: []string{"2 NOT_UNIQUE site/s/device/b /spec/serial by site/s/device/a"}},
		{name: "kept while another wants it", given: []string{device("s/a", `{"serial":"1"}`)},
			when: []string{device("s/a", `{"serial":"1","x":2}`), device("s/b", `{"serial":"1"}`)},
			want: []string{"2 NOT_UNIQUE site/s/device/b /spec/serial by site/s/device/a"}},
		{name: "given up", given: []string{device("s/a", `{"serial":"1"}`), device("s/a", `{"serial":"2"}`)}, when: []string{device("s/b", `{"serial":"1"}`)}},
		{name: "changed to a taken one", given: []string{device("s/a", `{"serial":"1"}`), device("s/b", `{"serial":"2"}`)}, when: []string{`patch site/s/device/b {"spec":{"serial":"1"}}`},
			want: []string{"1 NOT_UNIQUE site/s/device/b /spec/serial by site/s/device/a"}},
		{name: "swapped", given: []string{device("s/a", `{"serial":"1"}`), device("s/b", `{"serial":"2"}`)},
			when: []string{device("s/a", `{"serial":"2"}`), device("s/b", `{"serial":"1"}`)}},
		{name: "passed on in a ring", given: []string{device("s/a", `{"serial":"1"}`), device("s/b", `{"serial":"2"}`), device("s/c", `{"serial":"3"}`)},
			when: []string{device("s/a", `{"serial":"2"}`), device("s/b", `{"serial":"3"}`), device("s/c", `{"serial":"1"}`)}},
		{name: "taken over from a deleted document", given: []string{device("s/a", `{"serial":"1"}`)}, when: []string{device("s/b", `{"serial":"1"}`), "delete site/s/device/a"}},
		{name: "taken over from what a cascade deletes", given: []string{device("s/a", `{"serial":"1"}`)},
			when: []string{"create site/r", device("r/b", `{"serial":"1"}`), "cascade-delete site/s"}},
		{name: "of a deleted document", given: []string{device("s/a", `{"serial":"1"}`), "delete site/s/device/a"}, when: []string{device("s/b", `{"serial":"1"}`)}},
		{name: "created again under its name", given: []string{device("s/a", `{"serial":"1"}`)}, when: []string{`create site/s/device/a {"spec":{"serial":"1"}}`},
			want: []string{"1 exists site/s/device/a"}},
		{name: "all that is wrong at once", given: []string{device("s/a", `{"serial":"1"}`)}, when: []string{`create site/none/device/a {"spec":{"serial":"1"}}`, "delete site/s"},
			want: []string{"1 missing site/none/device/a missing=site/none", "1 NOT_UNIQUE site/none/device/a /spec/serial by site/s/device/a", "2 in-use site/s blocked=site/s/device/a/1"}},
		{name: "a status", given: []string{device("s/a", `{"serial":"1"}`), device("s/b", `{"serial":"2"}`)}, when: []string{`status site/s/device/b {"spec":{"serial":"1"}}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, claimSchema)
			apply(t, s, "create site/s", "create site/q")
			for _, line := range test.given {
				apply(t, s, line)
			}
			before, claims := dump(t, s), claimsOf(t, s)
			_, dry := s.Apply(t.Context(), ops(t, test.when...), store.Options{DryRun: true})
			if got := conflicts(dry); !slices.Equal(got, test.want) {
				t.Errorf("a dry run gives\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if !slices.Equal(claimsOf(t, s), claims) {
				t.Error("the dry run changed claims")
			}
			_, err := s.Apply(t.Context(), ops(t, test.when...), store.Options{})
			if got := conflicts(err); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if err != nil && (!slices.Equal(dump(t, s), before) || !slices.Equal(claimsOf(t, s), claims)) {
				t.Error("a refused transaction changed something")
			}
			requireClean(t, s)
		})
	}
}

// TestUniqueOfUnreadable wants an error to reveal nothing of a holder but that there is one.
func TestUniqueOfUnreadable(t *testing.T) {
	s := openWith(t, claimSchema, store.Config{Guard: guard{
		"root": {"read", "create", "update", "delete"},
		"ann":  {"read site/q", "create site/q", "update site/q"},
	}})
	applyAs(as(t, "root"), t, s, "create site/s", "create site/q", `create site/s/device/hidden {"spec":{"serial":"1"}}`)
	for _, dry := range []bool{true, false} {
		_, err := s.Apply(as(t, "ann"), ops(t, `create site/q/device/a {"spec":{"serial":"1"}}`), store.Options{DryRun: dry})
		e := dovetail.AsError(err)
		if e == nil || e.Reason != store.ReasonNotUnique || e.BlockedBy == nil || len(e.BlockedBy.IDs) > 0 || e.BlockedBy.Total > 0 || !e.BlockedBy.Unreadable {
			t.Fatalf("%+v", e)
		}
		if text := err.Error(); strings.Contains(text, "hidden") || strings.Contains(text, "site/s/") {
			t.Errorf("the error names the holder: %s", text)
		}
	}
}

// TestUniqueLikeModel does random transactions, and wants each to be refused exactly where a model of plain data says so.
func TestUniqueLikeModel(t *testing.T) {
	rounds.Checks(t, 40, 400)
	rapid.Check(t, func(rt *rapid.T) {
		s := openOnce(t, rt, claimSchema)
		apply(t, s, "create site/a", "create site/b")
		model := map[string]string{} // data by id
		names := []string{"site/a/device/x", "site/a/device/y", "site/b/device/x", "site/b/device/y"}
		for range rapid.IntRange(1, 12).Draw(rt, "transactions") {
			var lines []string
			after := map[string]string{}
			for id, data := range model {
				after[id] = data
			}
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 3, rapid.ID[string]).Draw(rt, "ids") {
				if _, there := model[id]; there && rapid.Bool().Draw(rt, "delete") {
					lines = append(lines, "delete "+id)
					delete(after, id)
					continue
				}
				value := func(label string) string {
					return rapid.SampledFrom([]string{"null", "1", "1.0", `"2"`, "2"}).Draw(rt, label)
				}
				after[id] = fmt.Sprintf(`{"spec":{"serial":%s,"ip":%s,"vlan":%s,"macs":[%s,%s]}}`, value("serial"), value("ip"), value("vlan"), value("mac"), value("mac"))
				lines = append(lines, "put "+id+" "+after[id])
			}
			_, err := s.Apply(context.Background(), ops(t, lines...), store.Options{})
			if clash := modelClash(rt, after); (err != nil) != clash {
				rt.Fatalf("%q on %v: %v, but the model says %v", lines, model, err, clash)
			}
			if err == nil {
				model = after
			}
		}
		for f, err := range s.Check(context.Background(), false) {
			rt.Fatalf("%+v %v", f, err)
		}
	})
}

// modelClash reports whether two documents have the same value of a constraint of claimSchema.
func modelClash(t *rapid.T, documents map[string]string) bool {
	taken := map[string]string{}
	clash := false
	for id, text := range documents {
		var data struct {
			Spec struct {
				Serial, IP, Vlan any
				Macs             []any
			}
		}
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			t.Fatal(err)
		}
		take := func(constraint string, values ...any) {
			if slices.Contains(values, nil) {
				return
			}
			key := constraint + fmt.Sprintf("%#v", values)
			if other, is := taken[key]; is && other != id {
				clash = true
			}
			taken[key] = id
		}
		take("serial", data.Spec.Serial)
		take("ip "+strings.Split(id, "/device/")[0], data.Spec.IP, data.Spec.Vlan)
		for _, mac := range data.Spec.Macs {
			take("mac", mac)
		}
	}
	return clash
}

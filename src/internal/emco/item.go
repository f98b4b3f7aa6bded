package emco

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Item is a resource as EMCO's REST API shows it.
type Item struct {
	Kind   *schema.Kind
	ID     dovetail.ID
	Data   *value.Value
	Files  []dovetail.File // without names of parts, which they get in their order
	States *value.Value    // the history of its lifecycle; nil if there is none
}

// AddItem takes a resource from the API, as Add does one from the database. What the API leaves out is not missed: the list of references, and
// what is empty. Errors are those of the spool.
func (m *Migration) AddItem(i Item) error {
	m.Read++
	r := &resource{id: i.ID, kind: i.Kind, data: i.Data.Unplaced(), created: m.options.Now}
	rename, group := &renaming{}, ""
	for _, e := range i.ID.Key() {
		if e.Name == "controllerGroup" {
			group = e.Value
		}
	}
	if fields := memberFields(i.Kind.Entry, group, memberData); fields != nil {
		r.data = rename.object(fields, r.data, "data.")
	} else {
		m.unknown[i.Kind.Name]++
	}
	for _, file := range i.Files {
		if file.Name = r.room(); file.Name == "" {
			r.find(NotMigrated, "a file of %s is not migrated: the ref-schema has no content of kind %s for it", i.ID, i.Kind.Name)
			continue
		}
		r.content = append(r.content, file)
	}
	if actions := items(i.States.Get("actions")); len(actions) > 0 && i.Kind.Lifecycle != nil {
		r.status = value.NewMap(value.Member{Name: memberState, Value: i.States.Unplaced()})
		r.standing(actions, r.status)
	}
	rename.missing = nil
	r.report(rename)
	return m.add(r)
}

package draft

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/lint"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Draft is a ref-schema under construction.
type Draft struct {
	kinds []*kind // parents before children
	notes []*dovetail.Error
}

// kind is what samples say of one.
type kind struct {
	name    string
	above   []string // the elements of its parent's key, outermost first
	at      dovetail.Position
	samples int
	data    shape
	slots   []slot
}

// slot is a reference of a kind.
type slot struct{ to, at string }

// Model compiles the draft as it is.
func (d *Draft) Model() (*schema.Model, error) {
	return schema.Compile([]schema.Source{{Name: "draft", Data: d.YAML()}})
}

// Notes are what a reader of the draft has to decide, with the places in the samples.
func (d *Draft) Notes() []*dovetail.Error { return d.notes }

// YAML is the ref-schema. All its kinds are strict.
func (d *Draft) YAML() []byte {
	resources := value.NewList()
	for _, k := range d.kinds {
		entry := value.NewMap()
		entry.Set("name", value.NewString(k.name))
		if len(k.above) > 0 {
			entry.Set("parent", value.NewString(k.above[len(k.above)-1]))
		}
		entry.Set("strict", value.NewBool(true))
		if len(k.slots) > 0 {
			references := value.NewList()
			for _, s := range k.slots {
				references.Items = append(references.Items, value.NewMap(value.Member{Name: "name", Value: value.NewString(s.to)},
					value.Member{Name: "at", Value: value.NewString(s.at)}))
			}
			entry.Set("references", references)
		}
		if described := k.schema(); described != nil {
			entry.Set("schema", described)
		}
		resources.Items = append(resources.Items, entry)
	}
	samples := 0
	for _, k := range d.kinds {
		samples += k.samples
	}
	header := "# Drafted from " + strconv.Itoa(samples) + " samples.\n"
	return append([]byte(header), yaml.Marshal(value.NewMap(value.Member{Name: "resources", Value: resources}))...)
}

// schema describes the members of the kind's data, except those by which references are found and those that every kind has.
func (k *kind) schema() *value.Value {
	taken := make(map[string]bool)
	for _, s := range k.slots {
		taken[s.at] = true
	}
	all := value.NewMap()
	for _, m := range k.data.members {
		switch described := m.shape.schema(place{}.member(m.name), taken); {
		case m.name == "metadata":
			properties := described.Get("properties")
			properties.Members = slices.DeleteFunc(properties.Members, func(p value.Member) bool { return slices.Contains(conventional, p.Name) })
			if len(properties.Members) > 0 {
				all.Set(m.name, described)
			}
		case m.name == "spec" && len(described.Members) == 1 && described.Get("type") != nil: // its convention says so
		default:
			all.Set(m.name, described)
		}
	}
	if len(all.Members) == 0 {
		return nil
	}
	return value.NewMap(value.Member{Name: "properties", Value: all})
}

// conventional are the members of metadata that every kind may have.
var conventional = []string{"name", "description", "labels", "annotations", "userData1", "userData2"}

// Add describes the data of samples, which were read with Model, and finds the references between them.
func (d *Draft) Add(samples []lint.Document) error {
	model, err := d.Model()
	if err != nil {
		return err
	}
	byKind := make(map[string][]lint.Document)
	known := make(map[dovetail.ID]bool, len(samples))
	for _, s := range samples {
		of, err := model.KindOf(s.ID)
		if err != nil {
			return err
		}
		byKind[of.Name], known[s.ID] = append(byKind[of.Name], s), true
	}
	for _, k := range d.kinds {
		for _, s := range byKind[k.name] {
			k.data.add(s.Data)
		}
	}
	for _, k := range d.kinds {
		if err := d.references(k, byKind[k.name], known); err != nil {
			return err
		}
	}
	return nil
}

// note adds what a reader has to decide.
func (d *Draft) note(at dovetail.Position, message, remedy string) {
	d.notes = append(d.notes, &dovetail.Error{Code: dovetail.CodeSchema, Position: at, Message: message, Remedy: remedy})
}

// order sorts kinds so that parents come before children, and otherwise as they were met.
func (d *Draft) order() {
	index := make(map[string]int, len(d.kinds))
	for i, k := range d.kinds {
		index[k.name] = i
	}
	rank := func(k *kind) []int {
		var ranks []int
		for _, name := range k.above {
			ranks = append(ranks, index[name])
		}
		return append(ranks, index[k.name])
	}
	slices.SortStableFunc(d.kinds, func(a, b *kind) int { return cmp.Or(slices.Compare(rank(a), rank(b)), strings.Compare(a.name, b.name)) })
}

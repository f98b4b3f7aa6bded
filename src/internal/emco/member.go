package emco

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Parts are what a document is made of beside its key: where the members of a stored resource stand. Nil is none.
type Parts struct {
	Data, Status *value.Value
	Content      []dovetail.File
}

// memberKeyNames is the member of a status with the keys of files in a ConfigMap or Secret, by the names of the files.
const memberKeyNames = "keyNames"

// Holds reports whether documents of a kind have a place for a member of its stored resources.
func Holds(kind *schema.Kind, member string) bool {
	switch {
	case member == memberData:
		return true
	case member == memberState:
		return memberFields(kind.Entry, "", member) != nil
	}
	return isFile(kind.Name, member) && len(kind.Content) > 0
}

// Known reports whether it is known what the fields of a resource's data are called.
func Known(kind *schema.Kind, id dovetail.ID) bool {
	return memberFields(kind.Entry, groupOf(id), memberData) != nil
}

// Copied returns the path of the data of which a stored resource of a kind has a copy under a name, to be selected by; nil if there is none.
func Copied(kind *schema.Kind, member string) []string { return copies()[kind.Entry][member] }

// IDOf returns the id of the resource of a kind with the key.
func IDOf(kind *schema.Kind, key map[string]string) (dovetail.ID, error) {
	members := value.NewMap()
	for name, text := range key {
		members.Set(name, value.NewString(text))
	}
	return identify(kind, members)
}

// Set gives a document of a kind a member as EMCO stores it, in canonical Extended JSON: one that the kind Holds.
func (p *Parts) Set(kind *schema.Kind, id dovetail.ID, member string, stored *value.Value) error {
	rename := &renaming{}
	switch fields := memberFields(kind.Entry, groupOf(id), member); {
	case member != memberData && member != memberState:
		return p.setFiles(kind, id, value.Member{Name: member, Value: stored})
	case stored.Kind != value.Map:
		return fmt.Errorf("the %s of %s is not an object", member, id)
	case member == memberState:
		p.status().Set(member, rename.object(fields, stored, member+"."))
	case fields == nil:
		p.Data = plain(stored)
	default:
		p.Data = rename.object(fields, stored, member+".")
	}
	return misfit(id, rename)
}

// setFiles makes the files of a member the content. What content cannot express, as a file without bytes, stays in the status as it is.
func (p *Parts) setFiles(kind *schema.Kind, id dovetail.ID, member value.Member) error {
	r, rename, status := &resource{id: id, kind: kind}, &renaming{}, p.status()
	status.Delete(memberKeyNames)
	status.Delete(member.Name)
	r.files(member, rename, status)
	if len(r.findings) > 0 {
		return fmt.Errorf("%s", r.findings[0].Message)
	}
	if err := misfit(id, rename); err != nil {
		return err
	}
	p.Content = r.content
	stored, given := plain(member.Value), p.files(kind, member.Name)
	if given == nil || !value.Equal(plain(given), stored) {
		status.Set(member.Name, stored)
	}
	return nil
}

// misfit refuses values of other types than EMCO stores.
func misfit(id dovetail.ID, rename *renaming) error {
	if len(rename.odd) == 0 {
		return nil
	}
	return fmt.Errorf("%s has values of other types than EMCO stores: %s", id, strings.Join(paths(rename.odd), ", "))
}

// Get returns a member that a document of a kind Holds as EMCO stores it, in canonical Extended JSON; nil where the document has none.
func (p *Parts) Get(kind *schema.Kind, id dovetail.ID, member string) *value.Value {
	switch fields := memberFields(kind.Entry, groupOf(id), member); {
	case member == memberState:
		if state := p.Status.Get(member); state != nil {
			return original(fields, state)
		}
		return nil
	case member != memberData:
		if exact := p.Status.Get(member); exact != nil {
			return typeless(exact)
		}
		return p.files(kind, member)
	case p.Data == nil:
		return nil
	case fields == nil:
		return typeless(p.Data)
	default:
		return original(fields, p.Data)
	}
}

// Delete takes a member that is not the data from a document.
func (p *Parts) Delete(member string) {
	if member != memberState {
		p.Content = []dovetail.File{}
		p.status().Delete(memberKeyNames)
	}
	p.status().Delete(member)
}

// State returns the state that the last action of a stateInfo led to, "" if there is none.
func (p *Parts) State() string {
	actions := items(p.Status.At(memberState, "actions"))
	if len(actions) == 0 {
		return ""
	}
	return text(actions[len(actions)-1].Get("state"))
}

func (p *Parts) status() *value.Value {
	if p.Status == nil {
		p.Status = value.NewMap()
	}
	return p.Status
}

// groupOf is the group of a controller, on which its fields depend.
func groupOf(id dovetail.ID) string {
	for _, element := range id.Key() {
		if element.Name == "controllerGroup" {
			return element.Value
		}
	}
	return ""
}

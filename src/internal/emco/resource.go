package emco

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The members of a stored resource beside its key elements and file contents, as EMCO writes them to
// its database.
const (
	memberID         = "_id"
	memberKeyID      = "keyId"
	memberData       = "data"
	memberReferences = "references"
	memberState      = "stateInfo"
)

// resource is one document of EMCO's collection, while it is read.
type resource struct {
	created  time.Time // where the ObjectId does not say it; zero for 1970
	number   int       // how many documents were read up to it
	objectID string    // 24 hexadecimal digits; begins with the second of its creation
	id       dovetail.ID
	kind     *schema.Kind
	data     *value.Value
	content  []dovetail.File
	status   *value.Value
	listed   []dovetail.ID // what it says that it refers to, as far as the schema has such kinds
	findings []store.Finding
	strays   []stray
	record   *resource // of its private keys; nil if there is none
}

// stray is a member that was stored in the document of another resource.
type stray struct {
	owner  dovetail.ID
	member value.Member
}

// name is what the resource is called if it has no id.
func (r *resource) name() string {
	if r.objectID == "" {
		return fmt.Sprintf("stored document %d, which has no _id,", r.number)
	}
	return "the resource with _id " + r.objectID
}

func (r *resource) find(problem, format string, args ...any) {
	r.findings = append(r.findings, store.Finding{Problem: problem, ID: r.id, Message: fmt.Sprintf(format, args...)})
}

// named is 1 where the data of a resource has the name of its key, else 0.
func (r *resource) named() int {
	elements := r.id.Key()
	if text(r.data.At("metadata", "name")) == elements[len(elements)-1].Value {
		return 1
	}
	return 0
}

// parent is the id of the document above; "" without one.
func (r *resource) parent() dovetail.ID {
	parent := r.kind.Parent
	for parent != nil && parent.Abstract {
		parent = parent.Parent
	}
	if parent == nil {
		return ""
	}
	return r.id.Key()[:len(parent.Elements)].ID()
}

// read understands a stored resource: an object as MongoDB's Extended JSON has it. It says why where it cannot.
func (m *Migration) read(stored *value.Value) (r *resource, why string) {
	r = &resource{number: m.Read, objectID: objectID(stored.Get(memberID))}
	keyID := text(stored.Get(memberKeyID))
	if keyID == "" {
		return r, fmt.Sprintf("%s has no keyId", r.name())
	}
	r.kind = m.kinds[normalKeyID(keyID)]
	if r.kind == nil {
		return r, fmt.Sprintf("%s has the keyId %s, which no kind of the ref-schema has", r.name(), keyID)
	}
	holder := m.holder(r.kind, stored)
	if holder != r.kind {
		r.kind = holder
	}
	var err error
	if r.id, err = identify(r.kind, stored); err != nil {
		return r, fmt.Sprintf("%s: %v", r.name(), err)
	}
	if normalKeyID(keyID) != r.kind.KeyID {
		r.find(Misplaced, "%s has the keyId %s of another resource; its data and its key elements say what it is", r.id, keyID)
	}
	if data := stored.Get(memberData); data == nil || data.Kind != value.Map {
		return r, fmt.Sprintf("%s has no object \"data\"", r.id)
	}
	r.members(m, stored)
	return r, ""
}

// holder returns the kind that the data of a resource is of. EMCO selects without the keyId, and may so have written the state of a
// resource, and its keyId, into the document of one below it: that one has further key elements, the last of which names it.
func (m *Migration) holder(kind *schema.Kind, stored *value.Value) *schema.Kind {
	elements := slices.Clone(kind.Elements)
	for _, member := range stored.Members {
		if m.elements[member.Name] && !slices.Contains(elements, member.Name) && Copied(kind, member.Name) == nil {
			elements = append(elements, member.Name)
		}
	}
	if len(elements) == len(kind.Elements) {
		return kind
	}
	below := m.kinds[dovetail.KeyIDOf(elements)]
	if below == nil {
		return kind
	}
	name := text(stored.At(memberData, "metadata", "name"))
	if last := below.Elements[len(below.Elements)-1]; name != "" && name != text(stored.Get(last)) {
		return kind
	}
	return below
}

// members takes over what the resource has.
func (r *resource) members(m *Migration, stored *value.Value) {
	rename := &renaming{}
	if r.objectID == "" {
		rename.missing = append(rename.missing, memberID)
	}
	fields := memberFields(r.kind.Entry, text(stored.Get("controllerGroup")), memberData)
	if _, known := table()[r.kind.Entry]; known && fields != nil {
		r.data = rename.object(fields, stored.Get(memberData), "data.")
	} else {
		r.data = plain(stored.Get(memberData))
		m.unknown[r.kind.Name]++
	}
	status := value.NewMap()
	var recorded []string
	for _, member := range stored.Members {
		switch {
		case slices.Contains([]string{memberID, memberKeyID, memberData}, member.Name), slices.Contains(r.kind.Elements, member.Name):
		case member.Name == memberReferences:
			r.references(m.kinds, member.Value)
		case Copied(r.kind, member.Name) != nil:
			if is := text(r.data.At(Copied(r.kind, member.Name)...)); is != text(member.Value) {
				r.find(UnknownField, "%s has the %s %q beside its data, which says %q: the data counts", r.id, member.Name, text(member.Value), is)
			}
		case member.Name == memberState:
			r.state(member, rename, status)
		case isSecret(r.kind.Name, member.Name) && m.names[RecordKind] != nil:
			recorded = append(recorded, member.Name)
		case isSecret(r.kind.Name, member.Name):
			r.find(NotMigrated, "the member %s of %s, a private key that the API never shows, is not migrated: its service makes another one, or keep a copy of it", member.Name, r.id)
		case isFile(r.kind.Name, member.Name):
			r.files(member, rename, status)
		default:
			rename.unknown = append(rename.unknown, member.Name)
			status.Set(member.Name, plain(member.Value))
			if member.Value.Kind == value.String && normalKeyID(text(stored.Get(memberKeyID))) == r.kind.KeyID {
				recorded = append(recorded, member.Name) // a service may select by it
			}
		}
	}
	if len(recorded) > 0 {
		r.record = m.record(stored, recorded...)
	}
	for name := range table()[r.kind.Entry] {
		if !strings.HasPrefix(name, memberData) && !isSecret(r.kind.Name, name) && stored.Get(name) == nil {
			rename.missing = append(rename.missing, name)
		}
	}
	if stored.Get(memberReferences) == nil {
		rename.missing = append(rename.missing, memberReferences)
	}
	for name := range copies()[r.kind.Entry] {
		if stored.Get(name) == nil {
			rename.missing = append(rename.missing, name)
		}
	}
	if len(status.Members) > 0 {
		r.status = status
	}
	r.report(rename)
}

// report says what the resource and the table do not have in common.
func (r *resource) report(rename *renaming) {
	for _, f := range []struct {
		problem string
		paths   []string
		format  string
	}{
		{UnknownField, rename.unknown, "%s has what EMCO is not known to store: %s; it is kept under its name"},
		{MissingField, rename.missing, "%s lacks what EMCO always stores: %s"},
		{OddValue, rename.odd, "%s has values of other types than EMCO stores: %s; they are kept as they are"},
	} {
		if len(f.paths) > 0 {
			r.find(f.problem, f.format, r.id, strings.Join(paths(f.paths), ", "))
		}
	}
}

// references reads the list of what the resource refers to. An entry that cannot be read is lost.
func (r *resource) references(kinds map[string]*schema.Kind, list *value.Value) {
	for _, ref := range items(list) {
		keyID := text(ref.Get("keyid"))
		if keyID == "" { // versions spell it differently
			keyID = text(ref.Get(memberKeyID))
		}
		kind := kinds[normalKeyID(keyID)]
		if kind == nil {
			r.find(Lost, "%s has a reference in its list whose keyId %q no kind of the ref-schema has: %s", r.id, keyID, plain(ref).JSON())
			continue
		}
		id, err := identify(kind, ref.Get("key"))
		if err != nil {
			r.find(Lost, "%s has a reference in its list that cannot be read: %s: %v", r.id, plain(ref).JSON(), err)
			continue
		}
		r.listed = append(r.listed, id)
	}
}

// state keeps the history of a lifecycle in the status, under the names of the API, and the state that it led to. A history that
// stands in the document of a resource without a lifecycle is that of the resource above it.
func (r *resource) state(member value.Member, rename *renaming, status *value.Value) {
	fields := memberFields(r.kind.Entry, "", memberState)
	if fields == nil {
		if owner := r.ancestorWith(memberState); owner != "" {
			r.strays = append(r.strays, stray{owner, member})
			r.find(Misplaced, "%s holds the lifecycle of %s", r.id, owner)
			return
		}
		rename.unknown = append(rename.unknown, memberState)
		status.Set(memberState, plain(member.Value))
		return
	}
	renamed := rename.object(fields, member.Value, memberState+".")
	status.Set(memberState, renamed)
	actions := items(renamed.Get("actions"))
	if len(actions) == 0 {
		r.find(MissingField, "%s has no action in its stateInfo, so that its state is not known", r.id)
		return
	}
	if r.kind.Lifecycle != nil {
		r.standing(actions, status)
	}
}

// standing sets the state that the last action led to, or, where the kind does not have that, the last one that it has.
func (r *resource) standing(actions []*value.Value, status *value.Value) {
	last := text(actions[len(actions)-1].Get("state"))
	taken := r.kind.Lifecycle.Initial
	for _, action := range slices.Backward(actions) {
		state := text(action.Get("state"))
		if !r.kind.Lifecycle.Has(state) {
			continue
		}
		taken = state
		is := value.NewMap(value.Member{Name: "state", Value: value.NewString(state)})
		if since := text(action.Get("time")); since != "" {
			is.Set("since", value.NewString(since))
		}
		status.Set(store.LifecycleMember, is)
		break
	}
	if taken != last {
		r.find(OddValue, "%s is in the state %q, which a %s does not have; it is taken for %s", r.id, last, r.kind.Name, taken)
	}
}

// ancestorWith is the nearest resource above whose kind has a member; "" if there is none.
func (r *resource) ancestorWith(member string) dovetail.ID {
	for kind := r.kind.Parent; kind != nil; kind = kind.Parent {
		if memberFields(kind.Entry, "", member) != nil {
			return r.id.Key()[:len(kind.Elements)].ID()
		}
	}
	return ""
}

// document is the resource as it is imported. Its uid and its times come from its ObjectId, so that
// migrating twice gives the same.
func (r *resource) document() *dovetail.Document {
	created := r.created.UTC()
	if r.created.IsZero() {
		created = time.Unix(0, 0).UTC()
	}
	if raw, err := hex.DecodeString(r.objectID); err == nil && len(raw) == 12 {
		created = time.Unix(int64(raw[0])<<24|int64(raw[1])<<16|int64(raw[2])<<8|int64(raw[3]), 0).UTC()
	}
	doc := &dovetail.Document{ID: r.id, Kind: r.kind.Name, Data: r.data.JSON(), Content: r.content,
		UID: uidOf(r.id, r.objectID), Revision: 1, Created: created, Updated: created}
	if r.status != nil {
		doc.Status = r.status.JSON()
	}
	return doc
}

// uidOf is the uid of a document: the ObjectId of its resource, or where that has none one that its id gives.
func uidOf(id dovetail.ID, objectID string) string {
	if objectID != "" {
		return objectID
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:12])
}

package emco

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// The members of a stored resource beside its key elements and file contents, as EMCO writes them to
// its database.
const (
	memberID         = "_id"
	memberKeyID      = "keyId"
	memberData       = "data"
	memberReferences = "references"
)

// resource is one document of EMCO's collection.
type resource struct {
	objectID string // 24 hexadecimal digits; begins with the second of its creation
	id       dovetail.ID
	kind     *schema.Kind
	data     *value.Value
	content  []dovetail.File
	status   *value.Value
	stored   []dovetail.ID // what it says that it refers to, as far as the schema has such kinds
}

// name is what the resource is called where it has no id.
func (r *resource) name() string { return "the resource with _id " + r.objectID }

// kindsByKeyID finds the kind of each keyId.
func kindsByKeyID(model *schema.Model) map[string]*schema.Kind {
	kinds := make(map[string]*schema.Kind)
	for _, kind := range model.Kinds() {
		if !kind.Abstract {
			kinds[kind.KeyID] = kind
		}
	}
	return kinds
}

// read understands a stored resource: an object as MongoDB's relaxed extended JSON has it.
func read(kinds map[string]*schema.Kind, stored *value.Value) (*resource, error) {
	r := &resource{objectID: objectID(stored.Get(memberID))}
	keyID := text(stored.Get(memberKeyID))
	if keyID == "" {
		return r, fmt.Errorf("%s has no keyId", r.name())
	}
	r.kind = kinds[normalKeyID(keyID)]
	if r.kind == nil {
		return r, fmt.Errorf("%s has the keyId %s, which no kind of the ref-schema has", r.name(), keyID)
	}
	var err error
	if r.id, err = identify(r.kind, stored); err != nil {
		return r, fmt.Errorf("%s: %w", r.name(), err)
	}
	r.data = stored.Get(memberData)
	if r.data == nil || r.data.Kind != value.Map {
		return r, fmt.Errorf("%s has no object \"data\"", r.id)
	}
	for _, ref := range items(stored.Get(memberReferences)) {
		if kind := kinds[normalKeyID(keyIDOf(ref))]; kind != nil {
			if id, err := identify(kind, ref.Get("key")); err == nil {
				r.stored = append(r.stored, id)
			}
		}
	}
	r.rest(stored)
	return r, nil
}

// objectID is the text of an _id: an ObjectId, or any other value that a client chose.
func objectID(v *value.Value) string {
	if oid := text(v.Get("$oid")); oid != "" {
		return oid
	}
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.JSON()), `"`)
}

// keyIDOf is the keyId of a stored reference: versions spell the member differently.
func keyIDOf(ref *value.Value) string {
	if keyID := text(ref.Get("keyid")); keyID != "" {
		return keyID
	}
	return text(ref.Get(memberKeyID))
}

// normalKeyID sorts the elements of a keyId and ends it with a comma: EMCO has written it with and without.
func normalKeyID(keyID string) string {
	var names []string
	for name := range strings.SplitSeq(strings.Trim(keyID, "{}"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return dovetail.KeyIDOf(names)
}

// identify makes the id out of members that are named like the kind's key elements.
func identify(kind *schema.Kind, members *value.Value) (dovetail.ID, error) {
	var id dovetail.ID
	for _, name := range kind.Elements {
		element := text(members.Get(name))
		if element == "" {
			return "", fmt.Errorf("its key has no %s", name)
		}
		if why := dovetail.CheckValue(element); why != "" {
			return "", fmt.Errorf("the value of %s %s", name, why)
		}
		id = id.Child(name, element)
	}
	return id, nil
}

// rest keeps what stands beside the data: files become content where the kind has room for them; all
// else, such as the state of a lifecycle, becomes status, where nothing is lost.
func (r *resource) rest(stored *value.Value) {
	status := value.NewMap()
	for _, m := range stored.Members {
		switch {
		case slices.Contains([]string{memberID, memberKeyID, memberData, memberReferences}, m.Name), slices.Contains(r.kind.Elements, m.Name):
		case r.takeFiles(m.Value):
		default:
			status.Set(m.Name, m.Value)
		}
	}
	if len(status.Members) > 0 {
		r.status = status
	}
}

// takeFiles takes file contents, {"filecontent": "..."} or {"fileContents": [...], "fileNames": [...]}, as
// content of the first part that has room.
func (r *resource) takeFiles(v *value.Value) bool {
	var contents, names []*value.Value
	for _, m := range v.Members {
		switch strings.ToLower(m.Name) {
		case "filecontent":
			contents = append(contents, m.Value)
		case "filecontents":
			contents = items(m.Value)
		case "filenames":
			names = items(m.Value)
		default:
			return false
		}
	}
	part := r.room(len(contents))
	if part == "" {
		return false
	}
	var files []dovetail.File
	for i, content := range contents {
		if content.Kind != value.String {
			return false
		}
		file := dovetail.File{Name: part, Data: decoded(text(content))}
		if i < len(names) {
			file.Filename = text(names[i])
		}
		files = append(files, file)
	}
	r.content = append(r.content, files...)
	return true
}

// room returns the name of a part that can take so many files more, "" for none.
func (r *resource) room(files int) string {
	for _, part := range r.kind.Content {
		taken := slices.ContainsFunc(r.content, func(f dovetail.File) bool { return f.Name == part.Name })
		if files > 0 && (part.Multiple || !taken && files == 1) {
			return part.Name
		}
	}
	return ""
}

// document is the resource as it is imported. Its uid and its times come from its ObjectId, so that
// migrating twice gives the same.
func (r *resource) document() *dovetail.Document {
	created := time.Unix(0, 0).UTC()
	if raw, err := hex.DecodeString(r.objectID); err == nil && len(raw) == 12 {
		created = time.Unix(int64(raw[0])<<24|int64(raw[1])<<16|int64(raw[2])<<8|int64(raw[3]), 0).UTC()
	}
	doc := &dovetail.Document{ID: r.id, Kind: r.kind.Name, Data: r.data.JSON(), Content: r.content,
		UID: r.objectID, Revision: 1, Created: created, Updated: created}
	if r.status != nil {
		doc.Status = r.status.JSON()
	}
	return doc
}

// decoded is a file as it was uploaded: EMCO stores base64.
func decoded(content string) []byte {
	if data, err := base64.StdEncoding.DecodeString(content); err == nil {
		return data
	}
	return []byte(content)
}

func text(v *value.Value) string {
	if v == nil || v.Kind != value.String {
		return ""
	}
	return v.Text
}

func items(v *value.Value) []*value.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

package emco

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// fileMembers are the members that hold files, by kind, each with the field that has the base64 text; "" where it is a list of
// files with names. Where they are optional, EMCO stores the member without a file, too.
var fileMembers = map[string]struct {
	member, field string
	optional      bool
}{
	"app":             {"appcontent", "filecontent", false},
	"appProfile":      {"profilecontent", "profile", false},
	"genericResource": {"resourcecontent", "content", true},
	"customization":   {"customizationcontent", "", true},
}

func isFile(kind, member string) bool { return member != "" && fileMembers[kind].member == member }

// isSecret reports whether a member of a kind is a private key.
func isSecret(kind, member string) bool {
	return kind == "logicalCloud" && member == "privatekey" || (kind == "caCertCp" || kind == "caCertLc") && member == "key"
}

// files takes the files of a member as content.
func (r *resource) files(member value.Member, rename *renaming, status *value.Value) {
	rename.object(memberFields(r.kind.Entry, "", member.Name), member.Value, member.Name+".")
	if field := fileMembers[r.kind.Name].field; field != "" {
		if encoded := member.Value.Get(field); encoded != nil {
			r.file(encoded, "", member, rename)
		}
		return
	}
	keys := value.NewMap()
	for _, file := range items(member.Value.Get("content")) {
		name := text(file.Get("filename"))
		r.file(file.Get("content"), name, member, rename)
		if key := text(file.Get("keyname")); key != "" && key != name {
			keys.Set(name, value.NewString(key))
		}
	}
	if len(keys.Members) > 0 {
		status.Set(memberKeyNames, keys) // the keys of the files in the ConfigMap or Secret
	}
}

// file takes a file. An empty text is no file.
func (r *resource) file(encoded *value.Value, name string, member value.Member, rename *renaming) {
	if text(encoded) == "" {
		return
	}
	data, err := base64.StdEncoding.DecodeString(text(encoded))
	if err != nil {
		rename.odd = append(rename.odd, member.Name)
		data = []byte(text(encoded))
	}
	part := r.room()
	if part == "" {
		r.find(NotMigrated, "the file in the member %s of %s is not migrated: the ref-schema has no content of kind %s for it", member.Name, r.id, r.kind.Name)
		return
	}
	r.content = append(r.content, dovetail.File{Name: part, Filename: name, Data: data})
}

// room returns the name of a part that can take a file more, "" if there is none.
func (r *resource) room() string {
	for _, part := range r.kind.Content {
		taken := slices.ContainsFunc(r.content, func(f dovetail.File) bool { return f.Name == part.Name })
		if part.Multiple || !taken {
			return part.Name
		}
	}
	return ""
}

// readable reports whether a file that should be text is: one that is encrypted is not.
func readable(data []byte) bool { return len(data) > 0 && utf8.Valid(data) }

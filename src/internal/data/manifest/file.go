package manifest

import (
	"encoding/base64"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// content reads the member `content`. It returns nil, which keeps what is stored, when there is
// none, and when no file of it has data: a read shows files so.
func (r *reader) content(kind *schema.Kind) []dovetail.File {
	list := r.manifest.Get("content")
	items := list.Items("a file")
	if list.Kind() != value.List {
		return nil
	}
	files := []dovetail.File{}
	without := 0
	for i, item := range items {
		file := dovetail.File{}
		for name, into := range map[string]*string{"name": &file.Name, "filename": &file.Filename, "mediaType": &file.MediaType} {
			*into, _ = item.Value.Get(name).Str()
		}
		if file.Name == "" {
			file.Name = soleName(kind)
		}
		data := item.Get("data")
		encoded, ok := data.Value.Str()
		if !ok {
			without++
			continue
		}
		var err error
		if file.Data, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			data.Fail("encode the file's bytes as standard base64", "the data of file %d is not base64", i+1)
		}
		files = append(files, file)
	}
	switch {
	case without > 0 && without == len(items):
		return nil
	case without > 0:
		list.Fail("give the data of every file, or of none to keep what is stored", "some files have data and some have none")
	}
	return files
}

// soleName is the name of the kind's part when it has only one, which then need not be given.
func soleName(kind *schema.Kind) string {
	if len(kind.Content) == 1 {
		return kind.Content[0].Name
	}
	return ""
}

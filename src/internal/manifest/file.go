package manifest

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// content reads the member `content`. It returns nil, which keeps what is stored, when there is
// none, and when no file of it has data: a read shows files so.
func (r *reader) content(kind *schema.Kind) []dovetail.File {
	list := r.manifest.Get("content")
	if list == nil || list.Kind == value.Null {
		return nil
	}
	if list.Kind != value.List {
		r.fail([]string{"content"}, "content must be a list, not a "+list.Kind.String(), "write it as [{name, filename, data}]")
		return nil
	}
	files := []dovetail.File{}
	without := 0
	for i, item := range list.Items {
		file := dovetail.File{}
		for name, into := range map[string]*string{"name": &file.Name, "filename": &file.Filename, "mediaType": &file.MediaType} {
			*into, _ = item.Get(name).Str()
		}
		if file.Name == "" {
			file.Name = soleName(kind)
		}
		encoded, ok := item.Get("data").Str()
		if !ok {
			without++
			continue
		}
		data, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			if r.counting || r.errs.Full() {
				r.errs.Count(1)
				continue
			}
			at := item.Get("data").Position()
			at.Path = value.Pointer("content", strconv.Itoa(i), "data")
			r.errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Err: err,
				Message: fmt.Sprintf("the data of file %d is not base64", i+1), Remedy: "encode the file's bytes as standard base64"})
		}
		file.Data = data
		files = append(files, file)
	}
	switch {
	case without > 0 && without == len(list.Items):
		return nil
	case without > 0:
		r.fail([]string{"content"}, "some files have data and some have none",
			"give the data of every file, or of none to keep what is stored")
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

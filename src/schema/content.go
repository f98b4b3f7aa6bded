package schema

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// CheckContent says what is wrong with the files of a document of the kind: an unknown part, several
// files of a part that takes one, none of a part that is required. The codes are CodeInvalid.
func (k *Kind) CheckContent(files []dovetail.File) []*dovetail.Error {
	var errs []*dovetail.Error
	count := make(map[string]int)
	for _, file := range files {
		part := k.part(file.Name)
		if part == nil {
			errs = append(errs, k.unknownPart(file.Name))
			continue
		}
		if count[file.Name]++; count[file.Name] == 2 && !part.Multiple {
			errs = append(errs, &dovetail.Error{Code: dovetail.CodeInvalid,
				Message: fmt.Sprintf("the file part %q is given more than once", file.Name), Remedy: "give it once"})
		}
	}
	for _, part := range k.Content {
		if part.Required && count[part.Name] == 0 {
			errs = append(errs, &dovetail.Error{Code: dovetail.CodeInvalid,
				Message: fmt.Sprintf("the file part %q is missing", part.Name),
				Remedy:  "send multipart/form-data with the part, or `content` in a batch"})
		}
	}
	return errs
}

func (k *Kind) part(name string) *ContentPart {
	for i := range k.Content {
		if k.Content[i].Name == name {
			return &k.Content[i]
		}
	}
	return nil
}

func (k *Kind) unknownPart(name string) *dovetail.Error {
	var known []string
	for _, part := range k.Content {
		known = append(known, part.Name)
	}
	err := &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the kind %s has no file part %q", k.Name, name),
		Remedy: "send no files: the kind has none"}
	if len(known) > 0 {
		err.Remedy = "its parts are " + strings.Join(known, ", ")
	}
	return err
}

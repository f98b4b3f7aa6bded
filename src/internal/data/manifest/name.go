package manifest

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Name is the value of a key element as the data of a document gives it.
type Name struct {
	Text string
	At   dovetail.Position // with the path inside the data
}

// NameIn finds the value of one of the kind's own key elements in the data. The first element that
// no collection fixes is the name proper: metadata.name, or, where that is missing or empty, a
// member called as the element ({"clusterLabel": "east"}). Further ones are spec.<element>, or again
// a member called as the element. The name is nil when the data does not give it; the error,
// CodeInvalid, is for one of the former places that is not a string.
func NameIn(kind *schema.Kind, element string, data *value.Value) (*Name, error) {
	for i, path := range NamePaths(kind, element) {
		at := data.At(path...)
		if at == nil || at.Kind == value.Null {
			continue
		}
		position := at.Position()
		position.Path = value.Pointer(path...)
		text, isString := at.Str()
		switch {
		case text != "":
			return &Name{Text: text, At: position}, nil
		case !isString && i == 0:
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: position,
				Message: strings.Join(path, ".") + " is a " + at.Kind.String() + ", not a string",
				Remedy:  "write the name in quotation marks"}
		}
	}
	return nil, nil
}

// NamePaths returns the two paths where NameIn looks for the element.
func NamePaths(kind *schema.Kind, element string) [2][]string {
	if element == properElement(kind) {
		return [...][]string{{"metadata", "name"}, {element}}
	}
	return [...][]string{{"spec", element}, {element}}
}

// PlaceOfName is where the data is to give the element that NameIn does not find, and whether it is empty there. Where there is no such
// member, the line and column are those of the object that lacks it.
func PlaceOfName(kind *schema.Kind, element string, data *value.Value) (at dovetail.Position, empty bool) {
	path := NamePaths(kind, element)[0]
	around := data
	for _, name := range path {
		inner := around.Get(name)
		if empty = inner != nil; !empty {
			break
		}
		around = inner
	}
	at = around.Position()
	at.Path = value.Pointer(path...)
	return at, empty
}

// properElement is the one of the kind's own elements that metadata.name gives.
func properElement(kind *schema.Kind) string {
	for _, element := range kind.Own {
		fixed := len(kind.Collections) > 0 && !slices.ContainsFunc(kind.Collections, func(c schema.Collection) bool {
			_, has := c.Fixed[element]
			return !has
		})
		if !fixed {
			return element
		}
	}
	return ""
}

// CheckNames compares the names that the data gives, if any, with those of the id it is meant for.
// The error has the code CodeInvalid, and a part for each name that differs.
func CheckNames(kind *schema.Kind, id dovetail.ID, data *value.Value) error {
	var errs dovetail.Errors
	key := id.Key()
	for _, element := range kind.Own {
		wanted, _ := key.Value(element)
		name, err := NameIn(kind, element, data)
		switch {
		case err != nil:
			errs.Join(err)
		case name != nil && name.Text != wanted:
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Key: id, Position: name.At,
				Message: "the data names the " + element + " \"" + name.Text + "\", but it is written as \"" + wanted + "\"",
				Remedy:  "give both the same name, or leave it out of the data"})
		}
	}
	return errs.Err("the data does not fit its name")
}

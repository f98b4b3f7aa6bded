package emco

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

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

package parameters

import (
	"crypto/sha1" // of version 5 of RFC 9562, which is no secret
	"encoding/hex"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// IsName reports whether a text can name a file, a folder and a document.
func IsName(text string) bool {
	return dovetail.CheckValue(text) == "" && !strings.Contains(text, "/")
}

// Location is where a ParamSet is: for an environment, for all of a cluster (then Name is empty), or, when
// both are empty, for all clusters.
type Location inventory.Environment

const (
	rootFolder       = "environments"
	parametersFolder = "parameters"
	inventoryFolder  = "Inventory"
)

// ParseLocation reads the path of a folder of ParamSets, with or without slashes around it:
//
//	environments/parameters
//	environments/<cluster>/parameters
//	environments/<cluster>/<environment>/Inventory/parameters
//
// The older spellings environments/parameters/<cluster>[/<environment>[/Inventory/parameters]] mean the
// same. The error has the code CodeInvalid.
func ParseLocation(text string) (Location, error) {
	parts := strings.Split(strings.Trim(text, "/"), "/")
	wrong := &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the location \"" + text + "\" is none of a ParamSet",
		Remedy: "give environments/parameters, environments/<cluster>/parameters or environments/<cluster>/<environment>/Inventory/parameters"}
	if len(parts) < 2 || parts[0] != rootFolder {
		return Location{}, wrong
	}
	parts = parts[1:]
	if older := parts[0] == parametersFolder; older {
		parts = parts[1:]
	} else if parts[len(parts)-1] != parametersFolder {
		return Location{}, wrong
	}
	if n := len(parts); n > 0 && parts[n-1] == parametersFolder {
		parts = parts[:n-1]
		if n == 4 && parts[2] == inventoryFolder {
			parts = parts[:2]
		} else if n == 3 {
			return Location{}, wrong
		}
	}
	if len(parts) > 2 {
		return Location{}, wrong
	}
	for _, part := range parts {
		if !IsName(part) || part == parametersFolder {
			return Location{}, wrong
		}
	}
	parts = append(parts, "", "")
	return Location{Cluster: parts[0], Name: parts[1]}, nil
}

// String gives the path of the folder.
func (l Location) String() string {
	switch {
	case l.Cluster == "":
		return rootFolder + "/" + parametersFolder
	case l.Name == "":
		return rootFolder + "/" + l.Cluster + "/" + parametersFolder
	}
	return rootFolder + "/" + l.Cluster + "/" + l.Name + "/" + inventoryFolder + "/" + parametersFolder
}

// Reaches reports whether an environment can use what is at the location.
func (l Location) Reaches(e inventory.Environment) bool {
	return (l.Cluster == "" || l.Cluster == e.Cluster) && (l.Name == "" || l.Name == e.Name)
}

// space is what the names of ids are hashed with, so that they differ from the ids of other programs.
const space = "dovetail parameters\x00"

// ParamSetID is the uuid of a ParamSet. It is made of location and name, so that the same file has the same
// id wherever it is read.
func ParamSetID(l Location, name string) string { return uuid("paramset", l.String(), name) }

// AssociationID is the uuid of an association, made of what it says except the order.
func AssociationID(e inventory.Environment, c Context, object, paramSetID string) string {
	return uuid("association", e.String(), c.Token(), object, paramSetID)
}

// uuid makes a uuid of names, as version 5 of RFC 9562 does.
func uuid(names ...string) string {
	sum := sha1.Sum([]byte(space + strings.Join(names, "\x00")))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

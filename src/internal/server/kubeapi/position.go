package kubeapi

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The resourceVersion of an object is the version of its document, that of a list a position of the store. Clients take both for the same:
// positions have a prefix that no uid has.
const positionPrefix = "at."

func versionAt(position store.Cursor) string { return positionPrefix + string(position) }

// position reads the resourceVersion of a list or a bookmark; false for that of an object.
func position(version string) (store.Cursor, bool) {
	text, found := strings.CutPrefix(version, positionPrefix)
	return store.Cursor(text), found
}

// pageToken is where the next page of a list begins.
type pageToken struct {
	After    dovetail.ID  `json:"a"`
	Position store.Cursor `json:"p"`
}

func (t pageToken) String() string { return base64.RawURLEncoding.EncodeToString(encode(t)) }

func parseToken(text string) (t pageToken, err error) {
	if text == "" {
		return t, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err == nil && t.After != "" {
		_, err = dovetail.ParseID(string(t.After))
	}
	if err != nil || t.After == "" {
		return t, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "continue is not a token of this list", Remedy: "repeat it as it was returned, or leave it out to start again", Err: err}
	}
	return t, nil
}

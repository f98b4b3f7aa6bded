package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// SchemaVersion is a ref-schema that is or was in force. They are numbered from 1.
type SchemaVersion struct {
	Version   int                 `json:"version"`
	Hash      string              `json:"hash"`
	Since     time.Time           `json:"since"`               // when it took effect
	Principal string              `json:"principal,omitempty"` // who put it in force; "" for the server, from its files
	Changes   []schema.Difference `json:"changes,omitempty"`   // to the one before
	Sources   []schema.Source     `json:"-"`
}

// versionKind is the kind of the documents with the ref-schemas that were in force before: the data of modelID of then.
const versionKind = "_schemaVersion"

// version returns what the data of modelID says, or said, of a ref-schema.
func (m *storedModel) version(doc *dovetail.Document) SchemaVersion {
	v := SchemaVersion{Version: max(m.Version, 1), Hash: m.Hash, Since: m.Since, Principal: m.Principal, Changes: m.Changes, Sources: m.Sources}
	if v.Since.IsZero() { // it was written before versions were counted
		v.Since = doc.Updated
	}
	return v
}

// keepVersion returns the document that keeps the ref-schema in force for when another one replaces it.
func keepVersion(stored *dovetail.Document) (*dovetail.Document, error) {
	state := stateOf(stored)
	version := state.version(stored)
	state.Version, state.Since, state.Next = version.Version, version.Since, ""
	data, err := json.Marshal(state)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	id := dovetail.ID(fmt.Sprintf("%s/%08d", versionKind, version.Version))
	return &dovetail.Document{ID: id, Kind: versionKind, Data: data, UID: stored.UID, Revision: 1, Created: version.Since, Updated: version.Since,
		Schema: stored.Schema}, nil
}

// SchemaVersions returns the ref-schemas that are or were in force in the database, the one in force first.
func (s *Store) SchemaVersions(ctx context.Context) ([]SchemaVersion, error) {
	stored, err := s.storedModel(ctx)
	if err != nil || stored == nil {
		return nil, err
	}
	state := stateOf(stored)
	versions := []SchemaVersion{state.version(stored)}
	for doc, err := range s.backend.List(ctx, Query{Kind: versionKind}) {
		if err != nil {
			return nil, err
		}
		var was storedModel
		if err := json.Unmarshal(doc.Data, &was); err != nil {
			return nil, dovetail.UnreadableData(doc.ID, err)
		}
		versions = append(versions, was.version(doc))
	}
	slices.SortFunc(versions, func(a, b SchemaVersion) int { return b.Version - a.Version })
	return versions, nil
}

// SchemaVersion returns the ref-schema of a number or, where that is 0, the one that was in force at a moment: a time, a day, or
// a position. CodeNotFound means that there is none.
func (s *Store) SchemaVersion(ctx context.Context, number int, at string) (*SchemaVersion, error) {
	var moment time.Time
	if number == 0 {
		var err error
		if moment, err = s.timeOf(ctx, at); err != nil {
			return nil, err
		}
	}
	versions, err := s.SchemaVersions(ctx)
	if err != nil {
		return nil, err
	}
	for i := range versions {
		if v := &versions[i]; v.Version == number || number == 0 && !v.Since.After(moment) {
			return v, nil
		}
	}
	what := "version " + strconv.Itoa(number) + " of the ref-schema"
	if number == 0 {
		what = "ref-schema in force at " + at
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no " + what,
		Remedy: "`dovetail schema versions`, or GET /v2/schema/versions, lists the existing ones"}
}

// timeOf returns the time that a text means: a time, a day, or the position of a transaction.
func (s *Store) timeOf(ctx context.Context, text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	set, err := s.backend.Transaction(ctx, Cursor(text))
	return set.Time, err
}

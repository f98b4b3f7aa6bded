package store

import (
	"bytes"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// VersionSummary is a version of a document without its content: who made it, when, why, and what it changed.
type VersionSummary struct {
	Op       Op        `json:"op"`
	Version  string    `json:"version"`            // uid-revision; of a deletion the last one
	Position Cursor    `json:"position,omitempty"` // of its transaction; "" of versions older than the history
	Time     time.Time `json:"time,omitzero"`      // zero where it is not known
	Provenance
	// Paths are where the data differ from those of the version before, as JSON Pointers: at most MaxPaths of them, and how
	// many there are more. A path names a whole value where only one of the two has it, or where they are not alike. None for
	// creations and deletions, and where the version before is not kept.
	Paths     []string `json:"paths,omitempty"`
	MorePaths int      `json:"morePaths,omitempty"`
	Files     bool     `json:"files,omitempty"`  // the files differ
	Status    bool     `json:"status,omitempty"` // the status differs
	Erased    bool     `json:"erased,omitempty"` // what the version said is no longer kept
	// Renamed is, where a rename made the version, the id that the document had before, of a deletion that which it has since.
	Renamed dovetail.ID `json:"renamed,omitempty"`
}

// MaxPaths is how many paths a VersionSummary has.
const MaxPaths = 100

// Summarize yields versions, newest first as History has them, without their content.
func Summarize(versions iter.Seq2[Version, error]) iter.Seq2[VersionSummary, error] {
	return func(yield func(VersionSummary, error) bool) {
		var last *Version // whose version before is not read yet
		for version, err := range versions {
			if err != nil {
				yield(VersionSummary{}, err)
				return
			}
			if last != nil {
				summary, err := last.Summary(version.Document)
				if !yield(summary, err) || err != nil {
					return
				}
			}
			last = &version
		}
		if last != nil {
			yield(last.Summary(nil))
		}
	}
}

// Summary compares a version with the document of the one before, nil where that is not known.
func (v *Version) Summary(before *dovetail.Document) (VersionSummary, error) {
	s := VersionSummary{Op: v.Op, Version: dovetail.ETag{UID: v.UID, Revision: v.Revision}.Version(), Position: v.Cursor, Time: v.Time,
		Provenance: v.Provenance, Erased: v.Op != Deleted && v.Document == nil, Renamed: v.Renamed}
	if v.Op != Updated || before == nil || v.Document == nil {
		return s, nil
	}
	was, err := value.DataOf(before, nil)
	if err != nil {
		return s, dovetail.AsError(err)
	}
	is, err := value.DataOf(v.Document, nil)
	if err != nil {
		return s, dovetail.AsError(err)
	}
	for _, c := range value.Conflicts(nil, was, is) {
		if len(s.Paths) == MaxPaths {
			s.MorePaths++
			continue
		}
		s.Paths = append(s.Paths, c.Path)
	}
	s.Files, s.Status = !sameFiles(before, v.Document), !bytes.Equal(before.Status, v.Document.Status)
	if s.Status && (s.Files || len(s.Paths) > 0) { // who set which fields follows the data, and is no news of its own
		s.Status, err = otherStatus(before, v.Document)
	}
	return s, err
}

// otherStatus reports whether the status of two documents differs in more than the field managers.
func otherStatus(a, b *dovetail.Document) (bool, error) {
	was, err := statusFor(a)
	if err != nil {
		return false, err
	}
	is, err := statusFor(b)
	if err != nil {
		return false, err
	}
	return !value.Equal(without(was, ManagedFieldsMember), without(is, ManagedFieldsMember)), nil
}

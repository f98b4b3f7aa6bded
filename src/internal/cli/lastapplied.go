package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// lastApplied is what this user applied last to one store from each file that carries versions, so that the next edit of such a
// file, which still carries them, is no conflict with the user's own change. It is kept in a file of the user. Without that
// there are more conflicts than necessary, so that its errors are not reported.
type lastApplied struct {
	path    string // "" to keep nothing
	entries []appliedFile
	at      map[appliedKey]int // of entries
}

type appliedKey struct {
	file string
	id   dovetail.ID
}

// appliedFile is one document that was applied. It holds no data: those may be secret.
type appliedFile struct {
	File    string      `json:"file"` // absolute
	ID      dovetail.ID `json:"id"`
	From    string      `json:"from"`    // the version in the file
	Version string      `json:"version"` // what it became
	Digest  string      `json:"digest"`  // of the data, and of the files where it has some
}

// maxApplied bounds how many documents are remembered for one store: the last ones.
const maxApplied = 10_000

// lastApplied reads what is remembered for the target.
func (s *session) lastApplied(t *target) *lastApplied {
	l := &lastApplied{}
	dir := s.env("XDG_STATE_HOME")
	if dir == "" {
		home := s.env("HOME")
		if home == "" {
			return l
		}
		dir = filepath.Join(home, ".local", "state")
	}
	location := t.store
	if location == "" {
		to, err := t.endpoint(s)
		if err != nil { // it was opened before
			return l
		}
		location = to.URL
	}
	if t.changeSet != "" {
		location += " " + t.changeSet // whose documents have versions of their own
	}
	sum := sha256.Sum256([]byte(location))
	l.path = filepath.Join(dir, "dovetail", "applied", hex.EncodeToString(sum[:16])+".json")
	l.read()
	return l
}

func (l *lastApplied) read() {
	l.entries = nil
	if text, err := os.ReadFile(l.path); err == nil && json.Unmarshal(text, &l.entries) != nil {
		l.entries = nil
	}
	l.at = make(map[appliedKey]int, len(l.entries))
	for i, e := range l.entries {
		l.at[appliedKey{e.File, e.ID}] = i
	}
}

// find returns what was applied last to the document of an operation from the same file with the same version, nil if nothing was.
func (l *lastApplied) find(op store.Operation) *appliedFile {
	at, found := l.at[appliedKey{fileOf(op), op.ID}]
	if !found || !slices.ContainsFunc(op.IfMatch, func(tag dovetail.ETag) bool { return tag.Version() == l.entries[at].From }) {
		return nil
	}
	return &l.entries[at]
}

// versions returns the versions that an operation may replace: those of the file, and the one that it became.
func (l *lastApplied) versions(op store.Operation) []dovetail.ETag {
	e := l.find(op)
	if e == nil {
		return op.IfMatch
	}
	tag, err := dovetail.ParseETag(e.Version)
	if err != nil {
		return op.IfMatch
	}
	return append(slices.Clone(op.IfMatch), tag)
}

// applied reports whether a document is what the operation's file made of it the last time.
func (l *lastApplied) applied(op store.Operation, is state) bool {
	e := l.find(op)
	return e != nil && e.Digest == digestOf(is.data, is.content, op.Content != nil)
}

// remember adds what operations did.
func (l *lastApplied) remember(operations []store.Operation, result *store.Result) {
	if l.path == "" || !slices.ContainsFunc(operations, isVersioned) {
		return
	}
	l.read() // another command may have written it since
	at := make(map[appliedKey]bool)
	var added []appliedFile
	for i, op := range operations {
		if file := fileOf(op); file != "" && i < len(result.Outcomes) && isVersioned(op) {
			at[appliedKey{file, op.ID}] = true
			added = append(added, appliedFile{File: file, ID: op.ID, From: op.IfMatch[0].Version(), Version: result.Outcomes[i].Document.ETag().Version(), Digest: digestOfOperation(op)})
		}
	}
	all := slices.DeleteFunc(l.entries, func(e appliedFile) bool { return at[appliedKey{e.File, e.ID}] })
	all = append(all, added...)
	l.entries = all[max(0, len(all)-maxApplied):]
	if os.MkdirAll(filepath.Dir(l.path), 0o700) == nil {
		_ = replaceFile(l.path, func(w io.Writer) error {
			_, err := w.Write(mustJSON(l.entries))
			return err
		})
	}
}

// fileOf is the absolute name of the file that an operation stands in, "" for the standard input.
func fileOf(op store.Operation) string {
	if op.Position.File == stdinName {
		return ""
	}
	name, err := filepath.Abs(op.Position.File)
	if err != nil {
		return ""
	}
	return name
}

func digestOfOperation(op store.Operation) string {
	return digestOf(withoutStatus(op.Data), op.Content, op.Content != nil)
}

// digestOf tells data apart, whatever the order of their members, and files where they count.
func digestOf(data *value.Value, content []dovetail.File, files bool) string {
	hash := sha256.New()
	hash.Write(sorted(data).JSON())
	if files {
		hash.Write(describeFiles(content).JSON())
	}
	return hex.EncodeToString(hash.Sum(nil))
}

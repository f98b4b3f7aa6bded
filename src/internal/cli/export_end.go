package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// exportEnd is the last line of an export, by which an import notices that lines are missing or were changed.
type exportEnd struct {
	End *exportSummary `json:"end"`
}

// exportSummary says what comes before the end of an export.
type exportSummary struct {
	Documents int    `json:"documents"`
	SHA256    string `json:"sha256"` // of all lines before, with their ends
}

// exportSum makes the summary of an export from its lines.
type exportSum struct {
	documents int
	hash      hash.Hash
}

func newExportSum() *exportSum { return &exportSum{hash: sha256.New()} }

// add counts a line with its end.
func (s *exportSum) add(line []byte) {
	s.documents++
	_, _ = s.hash.Write(line) // never fails
}

func (s *exportSum) summary() exportSummary {
	return exportSummary{Documents: s.documents, SHA256: hex.EncodeToString(s.hash.Sum(nil))}
}

// line is the last line of the export.
func (s *exportSum) line() []byte {
	end := s.summary()
	text, err := json.Marshal(exportEnd{&end})
	if err != nil {
		panic(err) // a number and a text can be written
	}
	return append(text, '\n')
}

// endOf reads the last line of an export; nil for any other line.
func endOf(line []byte) *exportSummary {
	if !bytes.HasPrefix(line, []byte(`{"end":`)) {
		return nil
	}
	var end exportEnd
	if json.Unmarshal(line, &end) != nil {
		return nil
	}
	return end.End
}

// check compares what was read with what the last line says, nil if there is none.
func (s *exportSum) check(end *exportSummary, at dovetail.Position, last dovetail.ID) *dovetail.Error {
	read := s.summary()
	after := ""
	if last != "" {
		after = ", the last of them " + string(last)
	}
	e := &dovetail.Error{Code: dovetail.CodeInvalid, Position: at}
	switch {
	case end == nil:
		e.Message = fmt.Sprintf("the export is incomplete: it has no last line that counts its documents, after %s%s", count(read.Documents, "document"), after)
		e.Remedy = "import the whole file; or, one of an older version, which has no such line, with --allow-incomplete"
	case end.Documents != read.Documents:
		e.Message = fmt.Sprintf("the export has %s%s, and its last line counts %d", count(read.Documents, "document"), after, end.Documents)
		e.Remedy = "import the file as it was exported"
	case end.SHA256 != read.SHA256:
		e.Message = "the export was changed: its digest is not that of its last line"
		e.Remedy = "import the file as it was exported; or remove its last line, and import it with --allow-incomplete"
	default:
		return nil
	}
	return e
}

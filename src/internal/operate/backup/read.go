package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxLine bounds a line, so that a file which only looks like a backup cannot take all memory.
const maxLine = 512 << 20

// Read reads a backup, in a few MiB of memory, and gives its documents to do, the header of the backup first. Everything that was given may still be of a
// damaged backup, until Read returns its summary: read a backup to its end before you act on what it holds. An error of do ends the reading.
//
// Errors are CodeInvalid, with what is wrong, behind which document and byte, and what to do.
func Read(from io.Reader, begin func(*Header) error, do func(*dovetail.Document) error) (*Header, *Summary, error) {
	r := &reader{source: newSource(from), begin: begin, do: do, kinds: map[string]int{}, decoder: newDecoder()}
	for r.end == nil {
		if err := r.member(); err != nil {
			return nil, nil, r.explain(err)
		}
	}
	if _, err := r.source.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, nil, r.explain(fmt.Errorf("something follows its end"))
	}
	return r.header, r.end, nil
}

type reader struct {
	source    *source
	decoder   *decoder
	begin     func(*Header) error
	do        func(*dovetail.Document) error
	header    *Header
	end       *Summary
	kinds     map[string]int
	documents int
	last      dovetail.ID
	gzip      *gzip.Reader
	lines     *bufio.Reader
	long      []byte
}

// refused is an error that explains itself.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

// member reads one part of the file, to its checksum.
func (r *reader) member() error {
	before := r.source.digest()
	from, err := r.source.head()
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case r.gzip == nil:
		r.gzip, err = gzip.NewReader(from)
		r.lines = bufio.NewReaderSize(nil, 1<<16)
	default:
		err = r.gzip.Reset(from)
	}
	if err != nil {
		return err
	}
	r.gzip.Multistream(false)
	r.lines.Reset(r.gzip)
	alone := false // the line before must be the only one of its part
	for n := 0; ; n++ {
		text, err := r.line()
		switch {
		case errors.Is(err, io.EOF) && len(text) == 0 && n > 0:
			return nil
		case err != nil:
			return err
		case alone:
			return errors.New("a line follows one that is a part of its own")
		case r.header == nil:
			alone = true
			err = r.readHeader(text)
		case n == 0 && bytes.HasPrefix(text, []byte(`{"end":`)):
			alone = true
			err = r.readEnd(text, before)
		default:
			err = r.readDocument(text)
		}
		var unknown *unknownContent
		if errors.As(err, &unknown) {
			if _, err := io.Copy(io.Discard, r.lines); err != nil { // damage, rather than something that is not known
				return err
			}
			return refused{unknown.refusal()}
		}
		if err != nil {
			return err
		}
	}
}

// line returns the next line with its end. It is valid until the next call.
func (r *reader) line() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.lines.ReadSlice('\n')
		if err == nil && len(r.long) == 0 {
			return part, nil
		}
		if r.long = append(r.long, part...); err == nil {
			return r.long, nil
		}
		switch {
		case !errors.Is(err, bufio.ErrBufferFull):
			if len(r.long) > 0 && errors.Is(err, io.EOF) {
				err = errors.New("a line has no end")
			}
			return r.long, err
		case len(r.long) > maxLine:
			return nil, errors.New("a line is too long for a document")
		}
	}
}

func (r *reader) readHeader(text []byte) error {
	var format struct {
		Header struct {
			Format int `json:"format"`
		} `json:"dovetailBackup"`
	}
	if err := json.Unmarshal(text, &format); err != nil || format.Header.Format < 1 {
		return errors.New("its first line is not that of a backup")
	}
	if format.Header.Format > Format {
		return refused{&dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the backup has format %d, and this version of Dovetail reads up to format %d", format.Header.Format, Format),
			Remedy: "use the version of Dovetail that wrote it, or a later one"}}
	}
	var first firstLine
	if err := r.decoder.decode(text, &first); err != nil {
		return err
	}
	if r.header = first.Header; r.begin == nil {
		return nil
	}
	if err := r.begin(r.header); err != nil {
		return refused{err}
	}
	return nil
}

func (r *reader) readDocument(text []byte) error {
	d, err := r.decoder.document(text)
	switch {
	case err != nil:
		return err
	case d.ID <= r.last:
		return fmt.Errorf("%s does not come in its order", d.ID)
	}
	r.documents, r.last = r.documents+1, d.ID
	r.kinds[d.Kind]++
	if r.do == nil {
		return nil
	}
	if err := r.do(d); err != nil {
		return refused{err}
	}
	return nil
}

// readEnd compares what was read with what the last line says, and that line with the bytes that it stands in; before is the digest of all
// before them.
func (r *reader) readEnd(text []byte, before hash.Hash) error {
	var last lastLine
	err := r.decoder.decode(text, &last)
	var unknown *unknownContent
	switch {
	case errors.As(err, &unknown):
		return err
	case err != nil || last.End == nil:
		return errors.New("its last line cannot be read")
	}
	sum := hex.EncodeToString(before.Sum(nil))
	end := Summary{Documents: r.documents, Kinds: r.kinds, SHA256: sum}
	switch {
	case last.End.Documents != r.documents || !maps.Equal(last.End.Kinds, r.kinds):
		return fmt.Errorf("it has %d documents, and its last line counts %d", r.documents, last.End.Documents)
	case last.End.SHA256 != sum:
		return errors.New("its digest is not that of its last line")
	}
	member := storedMember(text)
	if text, err := r.line(); !errors.Is(err, io.EOF) || len(text) > 0 { // reads the checksum
		return errors.Join(errors.New("its last line is damaged"), err)
	}
	_, _ = before.Write(member)
	if !bytes.Equal(before.Sum(nil), r.source.digest().Sum(nil)) {
		return errors.New("its last line is not as it was written")
	}
	r.end = &end
	return nil
}

// explain says of an error where in the file it is, and what to do.
func (r *reader) explain(err error) error {
	var own refused
	if errors.As(err, &own) {
		return own.error
	}
	read := r.source.read()
	after := ""
	if r.last != "" {
		after = fmt.Sprintf(", after %d documents, the last of them %s", r.documents, r.last)
	}
	e := &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Remedy: "use another copy of the backup, or make a new one with `dovetail backup`"}
	switch {
	case r.source.err != nil && !errors.Is(r.source.err, io.EOF):
		e.Message = fmt.Sprintf("the backup cannot be read at byte %d%s: %v", read, after, r.source.err)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		e.Message = fmt.Sprintf("the backup is cut off at byte %d%s", read, after)
	case r.header == nil:
		e.Message = fmt.Sprintf("this is not a backup of Dovetail, or its beginning is damaged: %v", err)
		e.Remedy += "; `dovetail import` reads the files of `dovetail export`"
	default:
		e.Message = fmt.Sprintf("the backup is damaged before byte %d%s: %v", read, after, err)
	}
	return e
}

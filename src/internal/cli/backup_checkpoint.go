package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// writeCheckpoint writes a checkpoint to a file, which is only replaced once it is complete and verified.
func (s *session) writeCheckpoint(name string, write func(io.Writer) error) error {
	var read *store.Checkpoint
	err := replaceFile(name, func(file io.Writer) (err error) {
		read, err = verifyWritten(file, func(to io.Writer) error { return write(to) }, s.VerifyCheckpoint)
		return err
	})
	if err != nil {
		return err
	}
	return s.showCheckpoint(name, "written", read)
}

// isCheckpoint reports whether a file begins as those of the embedded store do.
func isCheckpoint(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	const where = 16 // behind the header of bbolt's first page
	var head [where + 4]byte
	_, err = io.ReadFull(file, head[:])
	return err == nil && bytes.Equal(head[where:], []byte{0xed, 0xda, 0x0c, 0xed})
}

// verifyCheckpoint verifies the checkpoint in a file.
func (s *session) verifyCheckpoint(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return unreadable(name, err)
	}
	defer file.Close()
	c, err := s.VerifyCheckpoint(file)
	if err != nil {
		e := *dovetail.AsError(err)
		e.Position.File = name
		return &e
	}
	return s.showCheckpoint(name, "complete and unchanged", c)
}

// shownCheckpoint is what -o json and yaml show of a checkpoint.
type shownCheckpoint struct {
	File     string       `json:"file"`
	Position store.Cursor `json:"position"`
	Time     time.Time    `json:"time"`
	Bytes    int64        `json:"bytes"`
	SHA256   string       `json:"sha256"`
}

func (s *session) showCheckpoint(name, what string, c *store.Checkpoint) error {
	if s.output == formatTable {
		fmt.Fprintf(s.Out, "%s: %s, position %s of %s, %d bytes\n", name, what, c.Position, c.Time.Format(time.RFC3339), c.Size)
		return nil
	}
	item, err := valueOf(shownCheckpoint{name, c.Position, c.Time, c.Size, c.SHA256})
	if err != nil {
		return err
	}
	s.show(shown{names: []string{name}, items: []*value.Value{item}, single: true})
	return nil
}

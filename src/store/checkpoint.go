package store

import (
	"context"
	"io"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Checkpoint writes a copy of the whole database, with its history, as of one position, to what begin returns, while others read and write;
// see Backend.Checkpoint. Who asks must have the right to read everything. Documents of sensitive kinds stay as they are stored.
func (s *Store) Checkpoint(ctx context.Context, begin func(Checkpoint) (io.Writer, error)) error {
	if err := s.mayEverywhere(ctx, dovetail.RightRead, "copy the store"); err != nil {
		return err
	}
	if s.backend.Capabilities().Checkpoints {
		if err := s.recordCopy(ctx); err != nil {
			return err
		}
	}
	return s.backend.Checkpoint(ctx, begin)
}

func checkpointOfNow() error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a checkpoint cannot be made of an earlier position",
		Remedy: "leave out the position and the change set, or use `dovetail backup` without --checkpoint"}
}

// NoCheckpoints is the error of Backend.Checkpoint where the capability is missing.
func NoCheckpoints(database string) error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: "a checkpoint copies the file of the embedded store, and this database is " + database,
		Remedy: "use `dovetail backup` without --checkpoint"}
}

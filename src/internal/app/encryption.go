package app

import (
	"context"
	"strings"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// sealingOptions are those of a key file, "" if there is none.
func sealingOptions(keyFile string) sealing.Options {
	if keyFile == "" {
		return sealing.Options{Copied: changeset.StagedKind}
	}
	return sealing.Options{Keys: envelope.At(keyFile), Copied: changeset.StagedKind}
}

// checkEncryption logs at the start whether sensitive kinds are encrypted. That they are not is an error only where
// encryption is required.
func (s *Server) checkEncryption(ctx context.Context) error {
	state := s.sealed.Encryption()
	if len(state.Sensitive) == 0 {
		return nil
	}
	kinds := strings.Join(state.Sensitive, ", ")
	err := s.sealed.Verify(ctx)
	if isClear(err) && onlyCopies(state.Sensitive) {
		return nil
	}
	if isClear(err) {
		if s.config.Encrypted {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "documents of sensitive kinds would be stored in clear: " + kinds,
				Remedy: "give a key file with --encryption-key-file; `dovetail secrets keygen` makes one"}
		}
		s.log.Warn("documents of sensitive kinds are stored in clear", "kinds", kinds, "remedy", "give a key file with --encryption-key-file")
		return nil
	}
	if err != nil && !s.config.Encrypted {
		s.log.Error("documents of sensitive kinds cannot be encrypted or read", "kinds", kinds, "error", err)
		return nil
	}
	return err
}

// onlyCopies reports whether sensitive kinds have no secrets of their own: operations of change sets are as secret as the documents
// that they stage, so they are not where no other kind is sensitive.
func onlyCopies(sensitive []string) bool {
	return len(sensitive) == 1 && sensitive[0] == changeset.KindOperation
}

// encryption is the check of /readyz that shows whether sensitive kinds are encrypted. What is wrong with it does not keep
// other kinds from being served.
func (s *Server) encryption(ctx context.Context) (string, error) {
	state := s.sealed.Encryption()
	if len(state.Sensitive) == 0 {
		return "", nil
	}
	kinds := strings.Join(state.Sensitive, ", ")
	err := s.sealed.Verify(ctx)
	if isClear(err) && onlyCopies(state.Sensitive) {
		return "", nil
	}
	if isClear(err) {
		return kinds + " are stored in clear: give a key file with --encryption-key-file", nil
	}
	if err != nil {
		s.log.Warn("sensitive kinds cannot be encrypted or read", "kinds", kinds, "error", err)
		return kinds + " cannot be encrypted or read, see the log", httpapi.Degraded(err) // all else is served
	}
	return kinds + " are encrypted", nil
}

// isClear reports whether nothing is encrypted, and no key is given to do so.
func isClear(err error) bool {
	return err != nil && dovetail.AsError(err).Reason == sealing.ReasonNoKey
}

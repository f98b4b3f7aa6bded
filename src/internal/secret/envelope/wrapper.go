package envelope

import "context"

// Wrapper holds a main key, and protects data keys with it. It is the place for key services outside:
// a Kubernetes secret mounted as a file and read by ReadKeyFile is one, a KMS or a vault's transit engine
// another.
//
// Implementations are safe for concurrent use. Their errors are *dovetail.Error: CodeUnavailable when the
// service cannot be reached, or when its main key does not open what was wrapped.
type Wrapper interface {
	// Wrap encrypts a data key of KeySize bytes for storage.
	Wrap(ctx context.Context, key []byte) ([]byte, error)
	// Unwrap decrypts what Wrap returned, of this main key or of one that it replaced.
	Unwrap(ctx context.Context, wrapped []byte) ([]byte, error)
}

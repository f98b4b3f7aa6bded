package store

// On returns a Store on a backend in which nothing was ever stored, not even a ref-schema.
func On(backend Backend) *Store { return &Store{backend: backend} }

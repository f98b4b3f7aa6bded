// Package sops reads and writes what SOPS (https://getsops.io) encrypted for age: YAML and JSON whose values are encrypted each by
// itself, with a data key that the metadata of the file hold for its recipients; and whole files of age.
//
// A file is opened as a whole (Open): each value is bound to the names that lead to it, and a MAC to all of them. Rewrite makes the
// encrypted values of changed content: what did not change keeps its ciphertext, and the data key stays, so that all recipients do.
// Values whose file is not at hand are opened one by one (Key.Open), which proves each, but not that none is missing.
//
// Everything that is not understood is refused by name. No error and no String method shows a key or a plain text.
//
// It does no I/O.
package sops

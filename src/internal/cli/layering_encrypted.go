package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/value"
)

// ageKeyFlag adds --age-key-file to a verb that reads files that may be encrypted.
func (s *session) ageKeyFlag(cmd *cobra.Command) {
	const name = "age-key-file"
	cmd.Flags().StringVar(&s.ageKeyFile, name, "", "`FILE` with the age identities that decrypt files (default as in SOPS: SOPS_AGE_KEY_FILE, SOPS_AGE_KEY, or sops/age/keys.txt of the user's configuration)")
	check(cmd.MarkFlagFilename(name))
}

// identities are those that the user gives. They are read once, where something is encrypted, and not before.
func (s *session) identities() (*sops.Identities, error) {
	var err error
	if s.ageKeys == nil {
		s.ageKeys, err = s.readIdentities()
	}
	return s.ageKeys, err
}

func (s *session) readIdentities() (*sops.Identities, error) {
	all := new(sops.Identities)
	file, text := s.ageKeyFile, s.env("SOPS_AGE_KEY")
	if file == "" {
		file = s.env("SOPS_AGE_KEY_FILE")
	}
	if file == "" && text == "" {
		if file = s.userIdentities(); !isFile(file) {
			return all, nil
		}
	}
	if file != "" {
		data, err := os.ReadFile(file) //nolint:gosec // the user names it
		if err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: "the file of identities cannot be read", Remedy: "check its name and its permissions", Err: err}
		}
		if all, err = sops.ParseIdentities(file, data); err != nil {
			return nil, err
		}
	}
	if text != "" {
		of, err := sops.ParseIdentities("SOPS_AGE_KEY", []byte(text))
		if err != nil {
			return nil, err
		}
		all = all.Join(of)
	}
	return all, nil
}

// userIdentities is the file that SOPS reads where nothing else is said.
func (s *session) userIdentities() string {
	config := s.env("XDG_CONFIG_HOME")
	if home := s.env("HOME"); config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config == "" {
		return ""
	}
	return filepath.Join(config, "sops", "age", "keys.txt")
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist) && err == nil && info.Mode().IsRegular()
}

// isLayeredFile reports whether a file of a directory has documents: YAML and JSON, and those that age encrypted.
func isLayeredFile(name string) bool { return isManifestFile(strings.TrimSuffix(name, ageExtension)) }

const ageExtension = ".age"

// parseLayered reads the values of a file of documents, which may be encrypted with SOPS or age. Nothing encrypted is taken for a text.
// The error is that of the identities.
func (s *session) parseLayered(f *krm.File) error {
	name := f.Name
	if strings.HasSuffix(name, ageExtension) || sops.IsAge(f.Text) {
		name, f.Secret = strings.TrimSuffix(name, ageExtension), true
		identities, err := s.identities()
		if err != nil {
			return err
		}
		var plain []byte
		if plain, f.Err = identities.Decrypt(f.Name, f.Text); f.Err != nil {
			f.Decrypted = true
			return nil //nolint:nilerr // what is wrong with the file is f.Err
		}
		f.Text = plain
	}
	f.Values, f.Err = parseFile(name, f.Text)
	switch {
	case f.Err != nil && f.Secret: // whose messages may have parts of the text
		f.Decrypted, f.Err = true, unreadableSecret(f.Name, f.Err)
	case f.Err != nil:
	case len(f.Values) > 0 && sops.Is(f.Values[0]):
		identities, err := s.identities()
		if err != nil {
			return err
		}
		f.Secret, f.Decrypted = true, true
		var opened *sops.File
		if opened, f.Err = sops.Open(sops.Source{Name: f.Name, Text: f.Text, Values: f.Values}, identities); f.Err != nil {
			f.Values = nil
			return nil //nolint:nilerr // what is wrong with the file is f.Err
		}
		f.Values = opened.Plain
	default:
		if f.Err = sops.Stray(f.Name, f.Values); f.Err != nil {
			f.Decrypted, f.Values = true, nil
		}
	}
	return nil //nolint:nilerr // what is wrong with the file is f.Err
}

// unreadableSecret is an error of the format of a text in plaintext, without the message.
func unreadableSecret(name string, err error) error {
	var errs dovetail.Errors
	for _, e := range parts(err) {
		at := e.Position
		at.File = name
		errs.Add(&dovetail.Error{Code: e.Code, Position: at, Message: "what is encrypted is no valid YAML or JSON here", Remedy: "decrypt it, correct it, and encrypt it again"})
	}
	return errs.Err("the file cannot be read")
}

// parseBucket reads the documents of a file that go to a server, which keeps encrypted what was.
func (s *session) parseBucket(f *krm.File) ([]*value.Value, error) {
	if err := s.parseLayered(f); err != nil {
		return nil, err
	}
	if f.Err != nil || !f.Secret {
		return f.Values, f.Err
	}
	var errs dovetail.Errors
	for _, v := range f.Values {
		if policy, _ := v.At("metadata", "storagePolicy").Str(); policy != "encrypted" {
			at := v.In(f.Name)
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: "the file is encrypted, and the document would be kept in clear on the server", Remedy: "write storagePolicy: encrypted in its metadata"})
		}
	}
	return f.Values, errs.Err("the documents are refused")
}

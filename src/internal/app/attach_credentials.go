package app

import (
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/value"
)

// readCredentials reads the file with what the repository asks for, and the key that signs commits, which is nil if there is none. Files that
// it names are beside it where they do not begin with a slash. "" is for no file.
func readCredentials(name string) (c gitrepo.Credentials, signer *gitrepo.Signer, err error) {
	if name == "" {
		return c, nil, nil
	}
	const remedy = "write user and password, or sshKey, with passphrase and knownHosts where they are needed, and signingKey, with signingPassphrase, to sign commits"
	refused := func(at dovetail.Position, message string, err error) error {
		at.File = name
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: message, Remedy: remedy, Err: err}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return c, nil, refused(dovetail.Position{}, "the credentials of the instance repository cannot be read", err)
	}
	values, err := yaml.Parse(name, data, value.Limits{})
	if err != nil {
		return c, nil, err
	}
	if len(values) != 1 || values[0].Kind != value.Map {
		return c, nil, refused(dovetail.Position{}, "the credentials of the instance repository are not one map", nil)
	}
	var key, signingKey, signingPassphrase string
	members := map[string]*string{"user": &c.User, "password": &c.Password, "sshKey": &key, "passphrase": &c.Passphrase, "knownHosts": &c.KnownHosts,
		"signingKey": &signingKey, "signingPassphrase": &signingPassphrase}
	for _, m := range values[0].Members {
		into := members[m.Name]
		text, ok := settingText(m.Value)
		if into == nil || !ok {
			return c, nil, refused(m.Position(), m.Name+" is no text, or none of the credentials", nil)
		}
		*into = text
	}
	for _, file := range []*string{&key, &c.KnownHosts, &signingKey} {
		if *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(filepath.Dir(name), *file)
		}
	}
	if key != "" {
		if c.Key, err = os.ReadFile(key); err != nil {
			return c, nil, refused(dovetail.Position{}, "the private key of ssh cannot be read", err)
		}
	}
	if signingKey == "" {
		if signingPassphrase != "" {
			return c, nil, refused(dovetail.Position{}, "there is a signingPassphrase and no signingKey", nil)
		}
		return c, nil, nil
	}
	text, err := os.ReadFile(signingKey)
	if err != nil {
		return c, nil, refused(dovetail.Position{}, "the key that signs commits cannot be read", err)
	}
	signer, err = gitrepo.NewSigner(text, signingPassphrase)
	return c, signer, err
}

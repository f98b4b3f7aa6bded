package gitrepo

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Signer signs commits with a key of ssh, as git does with gpg.format=ssh, so that hosts show them as verified.
type Signer struct{ key ssh.Signer }

// NewSigner reads a private key in PEM, with its passphrase if it is encrypted. It must be an Ed25519 or RSA key, of which the signature of
// a commit is always the same: so that processes agree on the hash of a commit that each of them makes. Errors are of CodeInvalid.
func NewSigner(key []byte, passphrase string) (*Signer, error) {
	const remedy = "give a private key of ssh, as ssh-keygen -t ed25519 writes it, with its passphrase if it has one"
	refused := func(message string, err error) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy, Err: err}
	}
	if bytes.Contains(key, []byte("PGP PRIVATE KEY")) {
		return nil, refused("the key that signs commits is one of OpenPGP, whose signatures are never the same twice", nil)
	}
	read, err := ssh.ParsePrivateKey(key)
	if missing := (&ssh.PassphraseMissingError{}); errors.As(err, &missing) && passphrase != "" {
		read, err = ssh.ParsePrivateKeyWithPassphrase(key, []byte(passphrase))
	}
	if err != nil {
		return nil, refused("the key that signs commits cannot be read", err)
	}
	if kind := read.PublicKey().Type(); kind != ssh.KeyAlgoED25519 && kind != ssh.KeyAlgoRSA {
		return nil, refused("the key that signs commits is of type "+kind+", whose signatures are never the same twice", nil)
	}
	return &Signer{read}, nil
}

// sign signs a commit. A nil signer leaves it as it is.
func (s *Signer) sign(commit *object.Commit) error {
	if s == nil {
		return nil
	}
	var encoded plumbing.MemoryObject
	if err := commit.EncodeWithoutSignature(&encoded); err != nil {
		return err
	}
	text, err := encoded.Reader()
	if err != nil {
		return err
	}
	message, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	signature, err := sshsig.Sign(bytes.NewReader(message), s.key, sshsig.HashSHA512, "git")
	if err != nil {
		return err
	}
	commit.PGPSignature = string(sshsig.Armor(signature)) // of any format
	return nil
}

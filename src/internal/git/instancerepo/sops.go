package instancerepo

import (
	"errors"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// encryptable are the kinds whose files SOPS may encrypt: those of credentials. All others say what references and effective sets are made of.
var encryptable = []string{"credential", "environmentCredential", "credentialSet", "clusterCredentialSet", "environmentCredentialSet"}

// refuseSOPS refuses a file that SOPS encrypted if it is none of credentials, or is encrypted in a way that is not known.
func refuseSOPS(name string, v *value.Value, p *place) []*dovetail.Error {
	where := at(name, v.Get(sops.Member), "/"+sops.Member)
	if !slices.Contains(encryptable, p.kind) {
		return []*dovetail.Error{newDefect(ReasonFileEncrypted, where, "the file is encrypted with SOPS for "+sops.Recipients(v)+", and is none of credentials", "decrypt it: only files of credentials can be encrypted")}
	}
	if _, err := sops.ReadMetadata(name, v); err != nil {
		var errs []*dovetail.Error
		for _, e := range partsOf(err) {
			errs = append(errs, newDefect(ReasonFileEncrypted, e.Position, "the file is encrypted with SOPS in a way that is not known: "+e.Message, e.Remedy))
		}
		return errs
	}
	return nil
}

func partsOf(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		return []*dovetail.Error{e}
	}
	return e.Errors
}

// withSOPS writes content over a file that SOPS encrypted, or over a new one whose documents were of such a file. Values that did not change keep their
// ciphertexts, and the data key stays.
func (s *set) withSOPS(name string, old []byte, from, to *value.Value, sealing Sealing) ([]byte, []*dovetail.Error) {
	var file *sops.File
	var err error
	switch {
	case from == nil:
		file, err = sops.OpenKey(name, to, sealing.Keys.Identities())
	case !value.Equal(from.Get(sops.Member), to.Get(sops.Member)):
		return nil, s.cannotEncrypt(to, "the metadata of SOPS cannot be changed here", "leave the document "+sops.Member+" as it is; SOPS adds and removes recipients: `sops updatekeys`")
	default:
		file, err = sops.Open(sops.Source{Name: name, Text: old, Values: []*value.Value{from}}, sealing.Keys.Identities())
	}
	if err != nil {
		return nil, s.notOpened(err)
	}
	sealed, err := file.Seal(name, to)
	if err != nil {
		return nil, s.notOpened(err)
	}
	if inClear := s.leftInClear(sealed, from, nil); len(inClear) > 0 && !sealing.Clear {
		return nil, inClear
	}
	text := yaml.Marshal(sealed)
	if from != nil {
		text = yaml.Rewrite(old, sealed)
	}
	// The MAC is over the values in the order that the text has now.
	written, err := yaml.Parse(name, text, value.Limits{})
	if err == nil {
		var metadata *value.Value
		if metadata, err = file.Sign(sops.Source{Name: name, Text: text, Values: written}, time.Now()); err == nil {
			written[0].Set(sops.Member, metadata)
			return yaml.Rewrite(text, written[0]), nil
		}
	}
	return nil, s.notOpened(err)
}

// leftInClear are the problems of new values that the rule of the file leaves in plaintext, as those that match no encrypted_regex. Types may be in plaintext.
func (s *set) leftInClear(v, old *value.Value, at []string) []*dovetail.Error {
	var problems []*dovetail.Error
	was := value.IndexOf(old)
	for _, m := range v.Members {
		if m.Name != "type" && (len(at) > 0 || m.Name != sops.Member) {
			problems = append(problems, s.leftInClear(m.Value, was.Get(m.Name), append(slices.Clone(at), m.Name))...)
		}
	}
	isNew := v.Text != "" && !sops.IsValue(v.Text) && !value.Equal(v, old)
	for _, item := range v.Items {
		isNew = isNew || !sops.IsValue(item.Text) && (old == nil || !slices.ContainsFunc(old.Items, func(was *value.Value) bool { return value.Equal(was, item) }))
	}
	if isNew {
		of := sealer{set: s}
		problem := cannotHold(of.document(at), value.Pointer(at...)+" would be written in clear: the rule of SOPS in the file leaves it so", "call it as the rule says, or encrypt the file by another rule")
		problem.Reason = ReasonInClear
		problems = append(problems, problem)
	}
	return problems
}

// cannotEncrypt is the problem of a file whose metadata are not what they have to be.
func (s *set) cannotEncrypt(to *value.Value, message, remedy string) []*dovetail.Error {
	of := sealer{set: s}
	d := of.document([]string{sops.Member})
	if s.shape == manySpecs && to.Get(sops.Member) == nil {
		key := s.documents[0].ID.Key()
		d = &Document{ID: key[:len(key)-1].ID().Child(s.kind, sops.Member)}
	}
	return []*dovetail.Error{cannotHold(d, message, remedy)}
}

// notOpened are the problems of a file that cannot be decrypted, and so not be signed again.
func (s *set) notOpened(err error) []*dovetail.Error {
	var problems []*dovetail.Error
	of := sealer{set: s}
	for _, e := range partsOf(err) {
		d := s.documents[0]
		if names, ok := value.SplitPointer(e.Position.Path); ok && len(names) > 0 {
			d = of.document(names)
		}
		problem := cannotHold(d, "the file is encrypted with SOPS and cannot be written: "+e.Message, e.Remedy)
		problem.Reason = ReasonInClear
		if errors.Is(e, sops.ErrNoIdentity) {
			problem.Remedy = keysRemedy
		}
		problems = append(problems, problem)
	}
	return problems
}

// keysRemedy is what to do where an identity is missing.
const keysRemedy = "give the identity of age with --credential-keys"

package gitrepo

import (
	"path"
	"regexp"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// What SOPS adds to a file that it encrypts: a member sops at the top, with a mac in it.
var (
	sopsYAML = regexp.MustCompile(`(?m)^sops:[ \t]*\r?\n(?:[ \t].*\n)*?[ \t]+mac:`)
	sopsJSON = regexp.MustCompile(`"sops"\s*:\s*\{[^}]*"(?:mac|lastmodified)"\s*:`)
)

// IsEncrypted says whether a file was encrypted with SOPS.
func IsEncrypted(name string, data []byte) bool {
	switch path.Ext(name) {
	case ".yml", ".yaml":
		return sopsYAML.Match(data)
	case ".json":
		return sopsJSON.Match(data)
	}
	return false
}

// refuseEncrypted refuses what SOPS has encrypted: what cannot be read cannot be checked, and a write
// would break its signature.
func (r *Repository) refuseEncrypted(files []changed) error {
	var errs []*dovetail.Error
	for _, f := range files {
		if f.to.IsZero() {
			continue
		}
		data, err := r.blob(f.path, f.to)
		if err != nil {
			return err
		}
		if IsEncrypted(f.path, data) {
			errs = append(errs, &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: dovetail.Position{File: f.path},
				Message: "the file is encrypted with SOPS, which is not supported", Remedy: "attach a repository without encryption"})
		}
	}
	return dovetail.Join("the repository is encrypted", errs)
}

package gitrepo

import (
	"iter"
	"path"
	"regexp"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// What SOPS adds to a file that it encrypts: a member sops at the top, with a mac in it.
var (
	sopsYAML = regexp.MustCompile(`(?m)^sops:[ \t]*\r?\n(?:[ \t].*\n)*?[ \t]+mac:`)
	sopsJSON = regexp.MustCompile(`"sops"\s*:\s*\{[^}]*"(?:mac|lastmodified)"\s*:`)
)

// sops are the marks of the files that SOPS encrypts, by their extensions.
var sops = map[string]*regexp.Regexp{".yml": sopsYAML, ".yaml": sopsYAML, ".json": sopsJSON}

// IsEncrypted says whether a file was encrypted with SOPS.
func IsEncrypted(name string, data []byte) bool {
	mark := sops[path.Ext(name)]
	return mark != nil && mark.Match(data)
}

// refuseEncrypted refuses what SOPS has encrypted, except where the reader can decrypt it: what cannot be read cannot be checked, and a write
// would break its signature.
func (r *Repository) refuseEncrypted(files iter.Seq2[changed, error]) error {
	var errs dovetail.Errors
	for f, err := range files {
		if err != nil {
			return err
		}
		if f.to.IsZero() || sops[path.Ext(f.path)] == nil { // others may be large, and are not read
			continue
		}
		file, err := r.listed(changed{path: f.path, to: f.to})
		if err != nil {
			return err
		}
		if IsEncrypted(f.path, file.Data) && (r.options.Encrypted == nil || !r.options.Encrypted(f.path)) {
			errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Position: dovetail.Position{File: f.path},
				Message: "the file is encrypted with SOPS, which is not supported here", Remedy: "decrypt it, or take it out of the repository"})
		}
	}
	return errs.Err("the repository is encrypted")
}

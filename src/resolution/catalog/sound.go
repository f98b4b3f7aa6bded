package catalog

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Quarantined is a package of a catalog that cannot be read, and why. The name is empty for documents that do not say whose they are.
type Quarantined struct {
	Package string
	Err     *dovetail.Error
}

// ImportSound is ImportWithin for catalogs of others: packages that cannot be read are left out and returned by name. The error is about
// files that cannot be parsed, of which it is not known what packages they hold.
func ImportSound(limits value.Limits, name string, files ...File) (source *value.Value, warnings []*dovetail.Error, quarantined []Quarantined, err error) {
	blobs, problems := read(files, limits)
	if err := problems.Err("invalid catalog"); err != nil {
		return nil, nil, nil, err
	}
	of := make(map[string][]blob)
	for _, b := range blobs {
		owner := ownerOf(b)
		of[owner] = append(of[owner], b)
	}
	names := make([]string, 0, len(of))
	for owner := range of {
		names = append(names, owner)
	}
	slices.Sort(names)
	packages := value.NewList()
	for _, owner := range names {
		im := &importer{packages: map[string]*pkg{}, charge: limits.Charge}
		for _, b := range of[owner] {
			if im.ended() {
				return nil, nil, nil, im.stopped
			}
			im.sort(b)
		}
		if p := im.packages[owner]; p != nil {
			if im.link(p); im.stopped != nil {
				return nil, nil, nil, im.stopped
			}
			if im.problems.Total() == 0 {
				packages.Items = append(packages.Items, p.document())
				warnings = append(warnings, im.warnings...)
			}
		}
		if err := im.problems.Err("invalid package"); err != nil {
			quarantined = append(quarantined, Quarantined{owner, dovetail.AsError(err)})
		}
	}
	return value.NewMap(value.Member{Name: "name", Value: value.NewString(name)}, value.Member{Name: "packages", Value: packages}), warnings, quarantined, nil
}

// ownerOf is the package whose document it is; "" if it does not say, or is of another schema.
func ownerOf(b blob) string {
	switch str(b.doc, "schema") {
	case schemaPackage:
		return str(b.doc, "name")
	case schemaChannel, schemaBundle, schemaDeprecations:
		return str(b.doc, "package")
	}
	return ""
}

// IsCatalog reports whether documents are of a file-based catalog: one of them has a schema of OLM.
func IsCatalog(docs []*value.Value) bool {
	return slices.ContainsFunc(docs, func(doc *value.Value) bool {
		return slices.Contains([]string{schemaPackage, schemaChannel, schemaBundle, schemaDeprecations}, str(doc, "schema"))
	})
}

package krm

import (
	"path/filepath"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// Base is where layers are kept that a Layering names: in a repository of Git, on a branch or with a tag, or in a registry of OCI, with
// a tag. Path is a folder there.
type Base struct {
	Name, Git, Branch, OCI, Tag, Path string
}

// bases reads the files of the bases of a Layering.
func (r *siteReader) bases(f *File, spec decode.Field) []*File {
	var files []*File
	bases, fields := basesIn(spec)
	for i, base := range bases {
		if base == nil {
			continue
		}
		read, err := r.open.Base(f, *base)
		if err != nil {
			r.fail(fields[i].Position(), dovetail.AsError(err).Remedy, "the base "+base.Name+" cannot be used: "+dovetail.AsError(err).Message)
			continue
		}
		files = append(files, read...)
	}
	return files
}

// BasesOf returns the bases that the Layerings in a file name.
func BasesOf(f *File) ([]Base, error) {
	errs := dovetail.Errors{}
	d := decode.Decoder{File: f.Name, Errors: &errs, Complete: func(e *dovetail.Error) { e.Reason = rendering.ClassInvalidDocumentFormat }}
	var all []Base
	for _, v := range f.Values {
		if !isConfiguration(v) || v.Get("spec") == nil || v.Get("spec").Kind != value.Map {
			continue
		}
		bases, _ := basesIn(d.Root(v.Get("spec"), "spec", "/spec"))
		for _, base := range bases {
			if base != nil {
				all = append(all, *base)
			}
		}
	}
	return all, errs.Err("the documents are refused")
}

// basesIn reads the bases of a specification; those that are refused are nil.
func basesIn(spec decode.Field) ([]*Base, []decode.Field) {
	fields := spec.Get(listOfBases).Items("a base")
	bases := make([]*Base, len(fields))
	seen := make(map[string]bool)
	for i, item := range fields {
		bases[i] = readBase(item)
		if bases[i] == nil {
			continue
		}
		if name := bases[i].Name; seen[name] {
			item.Fail("name one of them otherwise", "there are two bases %s", decode.Quote(name))
			bases[i] = nil
		} else {
			seen[name] = true
		}
	}
	return bases, fields
}

func readBase(item decode.Field) *Base {
	known := []string{"name", "git", "branch", "oci", "tag", "path"}
	if !item.Map(known...) || slices.ContainsFunc(item.Value.Members, func(m value.Member) bool { return !slices.Contains(known, m.Name) }) {
		return nil
	}
	get := func(name string) string { return item.Get(name).OptionalText() }
	b := &Base{Name: item.Get("name").Text(), Git: get("git"), Branch: get("branch"), OCI: get("oci"), Tag: get("tag"), Path: get("path")}
	switch {
	case b.Name == "":
		return nil
	case (b.Git == "") == (b.OCI == ""):
		item.Fail("write either git or oci", "a base is in a repository of Git, or in a registry of OCI")
	case b.Git != "" && b.Branch != "" && b.Tag != "":
		item.Get("tag").Fail("remove one of the two", "a base is on a branch, or has a tag")
	case b.OCI != "" && b.Branch != "":
		item.Get("branch").Fail("write a tag", "an artifact has no branch")
	case b.OCI != "" && b.Tag == "":
		item.Fail("add it", "the tag of the artifact is missing")
	case b.Path != "" && !filepath.IsLocal(filepath.FromSlash(b.Path)):
		item.Get("path").Fail("write it with slashes, from the top of the base", "the path leads out of the base")
	default:
		return b
	}
	return nil
}

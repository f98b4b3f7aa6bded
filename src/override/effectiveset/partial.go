package effectiveset

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Partial says which part of a set that is there is calculated again: the applications of Input.Descriptor, which is the delta SD.
type Partial struct {
	// Before are the files of the set that is there.
	Before map[string][]byte
	// Excluded says that the applications of the delta were taken out of the environment's descriptor: nothing is calculated then.
	Excluded bool
	// Session is the DEPLOYMENT_SESSION_ID of Before, by which what is kept of it is compared with what would be calculated now.
	Session string
}

// contexts are those that have a folder for each namespace.
var contexts = []string{"deployment", "runtime", "cleanup"}

// CalculatePart calculates the part of a set that a delta SD touches, and unites it with the set that is there, as EnvGene's pipeline does:
// topology and pipeline, the cleanup of the namespaces of the delta, and deployment and runtime of its applications are new, or, where they are
// excluded, gone. What is kept although it would be calculated otherwise now is a finding. The errors are those of Calculate.
func CalculatePart(in Input, p Partial) (*Set, error) {
	var r repository
	if err := r.readEntries(&object{file: in.DescriptorFile, data: in.Descriptor}); err != nil {
		return nil, err
	}
	whole := in
	whole.Descriptor, whole.Session = nil, p.Session
	now, failed := Calculate(whole)
	if now == nil {
		return nil, failed
	}
	made := &Set{Files: make(map[string][]byte)}
	if !p.Excluded {
		if made, failed = Calculate(in); made == nil {
			return nil, failed
		}
	} else {
		failed = nil
	}
	full, err := in.entries()
	if err != nil {
		return nil, err
	}
	stays := p.kept(r.entries, full)
	united := &Set{Files: make(map[string][]byte), Findings: made.Findings}
	for name, text := range p.Before {
		if stays(name) {
			united.Files[name] = text
		}
	}
	united.outdated(now, made)
	mappings, err := p.mappings(made, stays)
	if err != nil {
		return nil, err
	}
	for _, files := range []map[string][]byte{made.Files, mappings} {
		for name, text := range files {
			united.Files[name] = text
		}
	}
	return united, failed
}

// kept returns which files of the set stay. Folders are those of the deploy postfixes as they stand, also for a blue-green domain.
func (p Partial) kept(delta, full []entry) func(name string) bool {
	gone := []string{"topology/", "pipeline/", "external-credential/"}
	if p.Excluded {
		gone = nil
	}
	for _, e := range delta {
		gone = append(gone, "deployment/"+e.postfix+"/"+e.name+"/", "runtime/"+e.postfix+"/"+e.name+"/")
		if !p.Excluded {
			gone = append(gone, "cleanup/"+e.postfix+"/")
		} else if !slices.ContainsFunc(full, func(other entry) bool { return other.postfix == e.postfix }) {
			for _, context := range contexts {
				gone = append(gone, context+"/"+e.postfix+"/")
			}
		}
	}
	return func(name string) bool {
		for _, folder := range gone {
			if strings.HasPrefix(name, folder) {
				return false
			}
		}
		return true
	}
}

// entries are those of the environment's own descriptor.
func (in Input) entries() ([]entry, error) {
	c := &calculation{Input: in}
	o, err := c.object(path.Join("environments", in.Cluster, in.Name, "Inventory/solution-descriptor/sd"))
	if err != nil {
		return nil, err
	}
	var r repository
	err = r.readEntries(o)
	return r.entries, err
}

// mappings unites those of the set that is there and of what was calculated, which count more. What is mapped to a folder of which nothing
// stays or is made is left out.
func (p Partial) mappings(made *Set, stays func(name string) bool) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, context := range contexts {
		name := context + "/mapping.yaml"
		var united value.Builder
		for i, text := range [][]byte{p.Before[name], made.Files[name]} {
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			read, err := yaml.ParseClassic(name, text, value.Limits{})
			if err != nil {
				return nil, err
			}
			if len(read) != 1 || read[0].Kind != value.Map {
				return nil, invalid(dovetail.Position{File: name}, "the mapping of the set that is there is no map")
			}
			for _, m := range read[0].Members {
				folder, _ := m.Value.Str()
				if i == 0 && !p.anyOf(context+"/"+path.Base(folder)+"/", stays) {
					continue
				}
				united.Set(m.Name, m.Value.Unplaced())
			}
		}
		if p.Before[name] != nil || made.Files[name] != nil {
			files[name] = yaml.MarshalClassic(sorted(united.Map()))
		}
	}
	return files, nil
}

// anyOf reports whether a file of a folder stays, or one that never had files is left alone.
func (p Partial) anyOf(folder string, stays func(name string) bool) bool {
	had := false
	for name := range p.Before {
		if strings.HasPrefix(name, folder) {
			if had = true; stays(name) {
				return true
			}
		}
	}
	return !had && stays(folder)
}

// outdated reports the applications and namespaces with files that are kept although they would be calculated otherwise now. Encrypted ones
// cannot be compared.
func (s *Set) outdated(now, made *Set) {
	differ := make(map[string]bool)
	for name, text := range s.Files {
		if strings.HasSuffix(name, "mapping.yaml") || isSensitive(name) && bytes.Contains(text, []byte("[encrypted:")) {
			continue
		}
		if _, calculated := made.Files[name]; calculated {
			continue
		}
		if is, there := now.Files[name]; !there || !bytes.Equal(is, text) {
			parts := strings.SplitN(name, "/", 4)
			differ[strings.Join(parts[:min(3, len(parts)-1)], "/")] = true
		}
	}
	for _, folder := range sortedNames(differ) {
		s.Findings = append(s.Findings, Finding{PartOutdated, dovetail.Position{File: folder}, "it is kept, and would be calculated otherwise now, or cannot be: calculate the whole set to bring it up to date"})
	}
}

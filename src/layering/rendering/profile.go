package rendering

import "github.com/dovetail-store/dovetail/src/value"

// Profile says whose documents are read, where systems differ in what they accept. The zero value is ProfileDovetail.
type Profile string

// The profiles. Documents of Deckhand may lack data, and may have labels of any type and more members at the top, which are
// dropped; application documents must have a storagePolicy. Documents that are made of Kubernetes objects have schemas of group,
// kind and version.
const (
	ProfileDovetail   Profile = "dovetail"
	ProfileDeckhand   Profile = "deckhand"
	ProfileKubernetes Profile = "kubernetes"
)

// Read makes documents of values as the profile accepts them; otherwise it is as the function Read.
func (p Profile) Read(file string, values []*value.Value) ([]*Document, error) {
	r := newReader(file)
	r.profile = p
	return r.documents(values)
}

// Options are those of rendering as the profile does it.
func (p Profile) Options() Options {
	if p == ProfileDeckhand {
		return Options{ArrayIndex: MergeElement, StrictParents: true}
	}
	return Options{}
}

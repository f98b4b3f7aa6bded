package solver

import "github.com/Masterminds/semver/v3"

// Installed is a package that is installed.
type Installed struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// PlansFromActivation reports whether the spec asks for a plan and leaves open what is installed.
func (s *Spec) PlansFromActivation() bool { return s.Planned() && !s.installedGiven }

// WithInstalled returns the spec, which leaves open what is installed, with that.
func (s *Spec) WithInstalled(list []Installed) *Spec {
	with := *s
	with.installed = nil
	for _, of := range list {
		version, err := semver.StrictNewVersion(of.Version)
		if err != nil {
			continue // no version can be selected that is none
		}
		one := subject{name: of.Name, version: version, policy: catalogProvided}
		one.finish()
		with.installed = append(with.installed, one)
	}
	return &with
}

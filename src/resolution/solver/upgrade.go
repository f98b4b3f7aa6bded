package solver

import (
	"iter"

	"github.com/Masterminds/semver/v3"
)

// How a catalog provides an upgrade.
const (
	UpgradeReplaces  = "replaces"
	UpgradeSkips     = "skips"
	UpgradeSkipRange = "skipRange"
)

// Upgrade is a step from one version of a package to another that its catalog provides.
type Upgrade struct {
	From string `json:"from"` // a version, also one that the package does not have, or no longer
	To   string `json:"to"`
	By   string `json:"by"` // the first of replaces, skips and skipRange that provides it
}

// Upgrades are the steps between versions of the package, and from those that only replaces and skips name: to the newest version
// first, and from the newest first where the package has it.
func (p *Package) Upgrades() iter.Seq[Upgrade] {
	return func(yield func(Upgrade) bool) {
		for _, to := range p.Versions {
			for _, from := range p.Versions {
				if by := to.succeedsBy(from.version); by != "" && from != to && !yield(Upgrade{from.Text, to.Text, by}) {
					return
				}
			}
			if to.replaces != nil && !p.has(to.replaces) && !yield(Upgrade{to.replaces.Original(), to.Text, UpgradeReplaces}) {
				return
			}
			for _, skipped := range to.skips {
				if !p.has(skipped) && !yield(Upgrade{skipped.Original(), to.Text, UpgradeSkips}) {
					return
				}
			}
		}
	}
}

func (p *Package) has(version *semver.Version) bool {
	for _, v := range p.Versions {
		if compareVersions(v.version, version) == 0 {
			return true
		}
	}
	return false
}

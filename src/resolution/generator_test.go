package resolution_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/value"
)

// The generator makes catalogs of any size for tests of scale. The same arguments give the same
// catalog: numbers come from splitmix64.

type splitmix uint64

func (s *splitmix) below(n int) int {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int((z ^ z>>31) % uint64(n))
}

// number is a version major.minor.0.
type number struct{ major, minor int }

func (n number) String() string { return fmt.Sprintf("%d.%d.0", n.major, n.minor) }

func (n number) less(m number) bool {
	return n.major < m.major || n.major == m.major && n.minor < m.minor
}

// numbers are 1.0.0, 1.1.0, ... with a major step after each third.
func numbers(n int) []number {
	out := make([]number, n)
	at := number{1, 0}
	for i := range out {
		out[i] = at
		at.minor++
		if (i+1)%3 == 0 {
			at = number{at.major + 1, 0}
		}
	}
	return out
}

// mode says what a catalog is like.
type mode string

const (
	// modeSat plants one version of each package; the dependencies of planted versions admit planted ones.
	modeSat mode = "sat"
	// modeUnsat adds two roots at the end that lead over two levels to disjoint ranges of one package.
	modeUnsat mode = "unsat"
	// modeMaze adds a contradiction that is hard to see: one pigeon more than there are holes.
	modeMaze mode = "maze"
)

// catalog says what to generate.
type catalog struct {
	packages, versions, roots int
	seed                      uint64
	mode                      mode
	pigeons                   int
}

type generator struct {
	catalog
	random   splitmix
	numbers  []number
	planted  []number
	packages []any
	roots    []any
}

// document is the catalog as a case, without what is expected.
func (c catalog) document() *value.Value {
	g := &generator{catalog: c, random: splitmix(c.seed), numbers: numbers(c.versions)}
	for range c.packages {
		g.planted = append(g.planted, g.any())
	}
	for i := range c.packages {
		g.add(i)
	}
	g.require()
	switch c.mode {
	case modeUnsat:
		g.clash()
	case modeMaze:
		g.maze()
	}
	return fromJSON(object{"sources": []any{object{"name": "synthetic", "packages": g.packages}}, "spec": object{"constraints": g.roots}})
}

func (g *generator) any() number { return g.numbers[g.random.below(len(g.numbers))] }

func packageName(i int) string { return fmt.Sprintf("pkg-%05d", i) }

// add makes a package, whose dependencies lead to packages of higher numbers.
func (g *generator) add(i int) {
	var versions []any
	fast := g.versions - max(1, g.versions/5)
	for k, v := range g.numbers {
		var needs []any
		seen := map[int]bool{}
		for range g.random.below(100) / 25 {
			room := g.catalog.packages - i - 1
			if room <= 0 {
				break
			}
			j := i + 1 + g.random.below(room)
			if !seen[j] {
				seen[j] = true
				needs = append(needs, g.selector(j, v == g.planted[i]))
			}
		}
		channels := []string{"stable"}
		if k >= fast {
			channels = append(channels, "fast")
		}
		version := object{"version": v.String(), "channels": channels, "image": fmt.Sprintf("registry.example/%s:%s", packageName(i), v)}
		if needs != nil {
			version["dependencies"] = needs
		}
		versions = append(versions, version)
	}
	g.packages = append(g.packages, object{"name": packageName(i), "defaultChannel": "stable", "versions": versions})
}

// selector picks some versions of a package, the planted one among them if that must be.
func (g *generator) selector(i int, planted bool) object {
	for {
		kind := g.random.below(100)
		low := g.any()
		high := number{low.major + 1 + g.random.below(2), 0}
		is := g.planted[i]
		text, admits := "="+low.String(), is == low
		switch {
		case kind < 40:
			text, admits = ">="+low.String(), !is.less(low)
		case kind < 65:
			text, admits = "^"+low.String(), !is.less(low) && is.major == low.major
		case kind < 85:
			text, admits = fmt.Sprintf(">=%s <%s", low, high), !is.less(low) && is.less(high)
		case kind < 95:
			text, admits = "", true
		}
		if admits || !planted {
			return object{"name": packageName(i)}.with("versionRange", text)
		}
	}
}

func (g *generator) require() {
	first := max(1, g.catalog.packages/4)
	for used := map[int]bool{}; len(used) < min(g.catalog.roots, first); {
		if i := g.random.below(first); !used[i] {
			used[i] = true
			g.roots = append(g.roots, object{"required": g.selector(i, true)})
		}
	}
}

// simple makes a package whose versions need one thing each, or nothing.
func (g *generator) simple(name string, versions []number, needs func(number) any) {
	var list []any
	for _, v := range versions {
		version := object{"version": v.String(), "channels": []string{"stable"}}
		if needs != nil {
			version["dependencies"] = []any{needs(v)}
		}
		list = append(list, version)
	}
	g.packages = append(g.packages, object{"name": name, "defaultChannel": "stable", "versions": list})
}

func (g *generator) clash() {
	last := g.numbers[len(g.numbers)-1]
	need := func(name, operator string) func(number) any {
		return func(v number) any { return object{"name": name, "versionRange": operator + v.String()} }
	}
	g.simple("clash-lib", append(numbers(g.versions), number{last.major + 5, 0}), nil)
	g.simple("clash-left-mid", g.numbers, func(number) any { return need("clash-lib", "<=")(last) })
	g.simple("clash-right-mid", g.numbers, func(number) any { return need("clash-lib", ">")(last) })
	g.simple("clash-left", g.numbers, need("clash-left-mid", ">="))
	g.simple("clash-right", g.numbers, need("clash-right-mid", "<="))
	g.roots = append(g.roots, object{"required": object{"name": "clash-left"}}, object{"required": object{"name": "clash-right"}})
}

func (g *generator) maze() {
	one := []number{{1, 0}}
	slot := func(pigeon, hole int) object {
		return object{"name": fmt.Sprintf("slot-%02d-%02d", pigeon, hole)}
	}
	for p := range g.pigeons {
		var slots []any
		for h := range g.pigeons - 1 {
			g.simple(slot(p, h)["name"].(string), one, nil)
			slots = append(slots, slot(p, h))
		}
		name := fmt.Sprintf("pigeon-%02d", p)
		g.simple(name, one, func(number) any { return object{"any": slots} })
		g.roots = append(g.roots, object{"required": object{"name": name}})
	}
	for h := range g.pigeons - 1 {
		var hole []any
		for p := range g.pigeons {
			hole = append(hole, slot(p, h))
		}
		g.roots = append(g.roots, object{"atMostOne": hole})
	}
}

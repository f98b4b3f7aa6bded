// Package synthetic makes catalogs and constraints for measurements: the same arguments give the same documents always,
// since the numbers come from splitmix64. It is for tests only.
package synthetic

import (
	"fmt"
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// Mode says what kind of problem is made.
type Mode string

// The modes.
const (
	// Sat is satisfiable by construction: one version of each package is planted, and the dependencies of
	// planted versions admit those of their targets.
	Sat Mode = "sat"
	// Unsat is Sat with two more roots, the last, whose every version leads over two levels to ranges of one
	// package that have nothing in common. They are the only minimal core.
	Unsat Mode = "unsat"
	// Early is Unsat with these two roots first.
	Early Mode = "early"
	// Maze is Sat with packages that each need one of too few holes, which propagation alone does not see.
	Maze Mode = "maze"
)

// Options are the arguments.
type Options struct {
	Packages, Versions, Roots int
	Seed                      uint64
	Mode                      Mode
	Light                     bool // 0, 1, 2, 3 dependencies of a version with 50, 30, 15, 5 per cent, not with 25 each
	Pigeons                   int  // of Maze
}

// Problem returns a document {name, sources, spec}, in the form of the conformance cases.
func Problem(o Options) *value.Value {
	g := generator{Options: o, state: o.Seed, versions: versionsOf(o.Versions)}
	packages := g.packages()
	roots := g.roots()
	switch o.Mode {
	case Sat:
	case Unsat, Early:
		packages = append(packages, g.clash()...)
		extra := []*value.Value{required(object("name", text("clash-left"))), required(object("name", text("clash-right")))}
		if o.Mode == Early {
			roots = append(extra, roots...)
		} else {
			roots = append(roots, extra...)
		}
	case Maze:
		more, constraints := g.maze()
		packages, roots = append(packages, more...), append(roots, constraints...)
	}
	return object("name", text(fmt.Sprintf("synthetic-%s-%d", o.Mode, o.Packages)),
		"sources", value.NewList(object("name", text("synthetic"), "packages", value.NewList(packages...))),
		"spec", object("constraints", value.NewList(roots...)))
}

type version [2]int // major and minor; patch is 0

func (v version) String() string { return fmt.Sprintf("%d.%d.0", v[0], v[1]) }

func (v version) less(w version) bool { return v[0] < w[0] || v[0] == w[0] && v[1] < w[1] }

// versionsOf are 1.0.0, 1.1.0, ... with a major step after each third.
func versionsOf(n int) []version {
	var all []version
	v := version{1, 0}
	for i := range n {
		all = append(all, v)
		if v[1]++; (i+1)%3 == 0 {
			v = version{v[0] + 1, 0}
		}
	}
	return all
}

type generator struct {
	Options
	state    uint64
	versions []version
	planted  []version
}

func (g *generator) next() uint64 {
	g.state += 0x9E3779B97F4A7C15
	z := g.state
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

func (g *generator) below(n int) int { return int(g.next() % uint64(n)) }

func (g *generator) packages() []*value.Value {
	n := len(g.versions)
	for range g.Packages {
		g.planted = append(g.planted, g.versions[g.below(n)])
	}
	fast := n - max(1, n/5)
	var all []*value.Value
	for i := range g.Packages {
		name := packageName(i)
		var entries []*value.Value
		for k, v := range g.versions {
			dependencies := g.dependencies(i, v)
			channels := value.NewList(text("stable"))
			if k >= fast {
				channels.Items = append(channels.Items, text("fast"))
			}
			entry := object("version", text(v.String()), "channels", channels, "image", text("registry.example/"+name+":"+v.String()))
			if len(dependencies) > 0 {
				entry.Set("dependencies", value.NewList(dependencies...))
			}
			entries = append(entries, entry)
		}
		all = append(all, object("name", text(name), "defaultChannel", text("stable"), "versions", value.NewList(entries...)))
	}
	return all
}

// dependencies are those of a version of package i; they go to later packages, so that there are no circles.
func (g *generator) dependencies(i int, v version) []*value.Value {
	shares := []int{25, 25, 25, 25}
	if g.Light {
		shares = []int{50, 30, 15, 5}
	}
	n := 0
	for r := g.below(100); r >= shares[n]; n++ {
		r -= shares[n]
	}
	var all []*value.Value
	seen := make(map[int]bool)
	for range n {
		room := g.Packages - i - 1
		if room <= 0 {
			break
		}
		j := i + 1 + g.below(room)
		if seen[j] {
			continue
		}
		seen[j] = true
		var must *version
		if v == g.planted[i] {
			must = &g.planted[j]
		}
		all = append(all, g.selector(j, must))
	}
	return all
}

func (g *generator) selector(i int, must *version) *value.Value {
	d := object("name", text(packageName(i)))
	if r := g.pickRange(must); r != "" {
		d.Set("versionRange", text(r))
	}
	return d
}

// pickRange makes a range that admits a version, nil for any range.
func (g *generator) pickRange(must *version) string {
	for {
		r := g.below(100)
		low := g.versions[g.below(len(g.versions))]
		high := version{low[0] + 1 + g.below(2), 0}
		var written string
		var admits func(version) bool
		switch {
		case r < 40:
			written, admits = ">="+low.String(), func(v version) bool { return !v.less(low) }
		case r < 65:
			written, admits = "^"+low.String(), func(v version) bool { return !v.less(low) && v[0] == low[0] }
		case r < 85:
			written, admits = ">="+low.String()+" <"+high.String(), func(v version) bool { return !v.less(low) && v.less(high) }
		case r < 95:
			written, admits = "", func(version) bool { return true }
		default:
			written, admits = "="+low.String(), func(v version) bool { return v == low }
		}
		if must == nil || admits(*must) {
			return written
		}
	}
}

func (g *generator) roots() []*value.Value {
	first := max(1, g.Packages/4)
	used := make(map[int]bool)
	var all []*value.Value
	for len(all) < min(g.Roots, first) {
		i := g.below(first)
		if used[i] {
			continue
		}
		used[i] = true
		all = append(all, required(g.selector(i, &g.planted[i])))
	}
	return all
}

func packageName(i int) string { return fmt.Sprintf("pkg-%05d", i) }

func required(selector *value.Value) *value.Value { return object("required", selector) }

func text(s string) *value.Value { return value.NewString(s) }

// object makes a map of names, each followed by its value.
func object(pairs ...any) *value.Value {
	m := value.NewMap()
	for i := 0; i < len(pairs); i += 2 {
		m.Set(pairs[i].(string), pairs[i+1].(*value.Value))
	}
	return m
}

// simple is a package with one dependency, or none, for each version.
func simple(name string, versions []version, dependency func(v version) *value.Value) *value.Value {
	list := value.NewList()
	for _, v := range versions {
		entry := object("version", text(v.String()), "channels", value.NewList(text("stable")))
		if dependency != nil {
			entry.Set("dependencies", value.NewList(dependency(v)))
		}
		list.Items = append(list.Items, entry)
	}
	return object("name", text(name), "defaultChannel", text("stable"), "versions", list)
}

func (g *generator) clash() []*value.Value {
	last := g.versions[len(g.versions)-1]
	on := func(name, operator string, of func(version) version) func(version) *value.Value {
		return func(v version) *value.Value {
			return object("name", text(name), "versionRange", text(operator+of(v).String()))
		}
	}
	self, end := func(v version) version { return v }, func(version) version { return last }
	return []*value.Value{
		simple("clash-lib", append(append([]version{}, g.versions...), version{last[0] + 5, 0}), nil),
		simple("clash-left-mid", g.versions, on("clash-lib", "<=", end)),
		simple("clash-right-mid", g.versions, on("clash-lib", ">", end)),
		simple("clash-left", g.versions, on("clash-left-mid", ">=", self)),
		simple("clash-right", g.versions, on("clash-right-mid", "<=", self)),
	}
}

func (g *generator) maze() (packages, constraints []*value.Value) {
	one := []version{{1, 0}}
	holes := g.Pigeons - 1
	slot := func(p, h int) *value.Value {
		return object("name", text("slot-"+two(p)+"-"+two(h)))
	}
	for p := range g.Pigeons {
		anyOf := value.NewList()
		for h := range holes {
			packages = append(packages, simple(slot(p, h).Get("name").Text, one, nil))
			anyOf.Items = append(anyOf.Items, slot(p, h))
		}
		packages = append(packages, simple("pigeon-"+two(p), one, func(version) *value.Value { return object("any", anyOf) }))
		constraints = append(constraints, required(object("name", text("pigeon-"+two(p)))))
	}
	for h := range holes {
		list := value.NewList()
		for p := range g.Pigeons {
			list.Items = append(list.Items, slot(p, h))
		}
		constraints = append(constraints, object("atMostOne", list))
	}
	return packages, constraints
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

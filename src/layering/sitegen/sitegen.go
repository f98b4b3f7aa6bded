// Package sitegen writes synthetic sites of layered documents for tests and benchmarks: the same
// number of documents always gives the same bytes.
//
// A site of n application documents has 10 % in the layer global, every third one abstract, 30 % in
// region, each with a global one as parent, and 60 % in site, each with a region one as parent.
// Documents of region and site have two actions each, every second document has a substitution. A
// catalogue and the layering policy come on top. Documents of leaf layers come
// first, so that a renderer has to sort; there are no cycles.
package sitegen

import (
	"bytes"
	"fmt"
)

// Least is the smallest number of documents.
const Least = 30

var kinds = []string{"Host", "Network", "Chart", "Disk", "Profile", "Rack", "Agent", "Boot"}

// Site returns a site of n application documents, at least Least, as a stream of YAML documents.
func Site(n int) []byte {
	s := site{globals: max(8, n/10), regions: max(8, n*3/10)}
	s.sites = max(0, n-s.globals-s.regions)
	for k := range s.sites {
		s.site(k)
	}
	for j := range s.regions {
		s.region(j)
	}
	s.catalogue()
	for i := range s.globals {
		s.global(i)
	}
	s.line("---\nschema: deckhand/LayeringPolicy/v1\nmetadata:\n  schema: metadata/Control/v1\n  name: layering-policy")
	s.line("data:\n  layerOrder:\n    - global\n    - region\n    - site")
	return s.out.Bytes()
}

type site struct {
	globals, regions, sites int
	out                     bytes.Buffer
}

const seed = 1

// mix is a number that looks random.
func mix(i, seed int) int {
	x := uint32(i)*2654435761 + uint32(seed)*40503 + 12345
	x ^= x >> 15
	x *= 2246822519
	x ^= x >> 13
	return int(x)
}

func (s *site) line(format string, args ...any) {
	fmt.Fprintf(&s.out, format+"\n", args...)
}

func kindOfGlobal(i int) string { return kinds[i%len(kinds)] }

// concreteGlobal returns a global document that others can substitute from.
func (s *site) concreteGlobal(j int) int {
	i := mix(j, seed) % s.globals
	for i%3 == 2 {
		i = (i + 1) % s.globals
	}
	return i
}

func (s *site) head(kind, name, layer string, abstract bool, labels ...string) {
	s.line("---\nschema: dovetail/%s/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: %s\n  storagePolicy: cleartext", kind, name)
	if len(labels) > 0 {
		s.line("  labels:")
	}
	for i := 0; i < len(labels); i += 2 {
		s.line("    %s: %s", labels[i], labels[i+1])
	}
	s.line("  layeringDefinition:\n    abstract: %t\n    layer: %s", abstract, layer)
}

func (s *site) parent(key, value string, actions ...string) {
	s.line("    parentSelector:\n      %s: %s\n    actions:", key, value)
	for i := 0; i < len(actions); i += 2 {
		s.line("      - method: %s\n        path: %s", actions[i], actions[i+1])
	}
}

func (s *site) substitution(kind, name, from, to, pattern string) {
	s.line("  substitutions:\n    - src:\n        schema: dovetail/%s/v1\n        name: %s\n        path: %s\n      dest:\n        path: %s", kind, name, from, to)
	if pattern != "" {
		s.line("        pattern: %s", pattern)
	}
}

func (s *site) global(i int) {
	m := mix(i, seed)
	s.head(kindOfGlobal(i), fmt.Sprintf("global-%05d", i), "global", i%3 == 2, "family", fmt.Sprintf("f%05d", i), "tier", "base")
	if i%2 == 0 {
		s.substitution("Catalogue", "catalogue", fmt.Sprintf(".images.img%02d", m%20), ".image", "")
	}
	s.line("data:\n  image: placeholder\n  limits:\n    memory: %dMi\n    cpu: %d", 64+m%4096, 1+m%32)
	s.line("  network:\n    vlan: %d\n    mtu: 1500\n    dns:\n      - 10.0.%d.2\n      - 10.0.%d.3", 100+m%3900, m%250, m%250)
	s.line("  obsolete:\n    reason: kept-for-%05d\n  ports:", i)
	for p := range 3 {
		s.line("    - name: p%d\n      number: %d", p, 1024+(m+p*17)%60000)
	}
	s.line("  tags:\n    origin: global\n    base: g%05d", i)
}

func (s *site) region(j int) {
	m := mix(j+7919, seed)
	g := j % s.globals
	s.head(kindOfGlobal(g), fmt.Sprintf("region-%05d", j), "region", false, "region", fmt.Sprintf("r%05d", j))
	s.parent("family", fmt.Sprintf("f%05d", g), "merge", ".", "delete", ".obsolete")
	if j%2 == 0 {
		c := s.concreteGlobal(j)
		s.substitution(kindOfGlobal(c), fmt.Sprintf("global-%05d", c), ".limits.memory", ".inherited.memory", "")
	}
	s.line("data:\n  limits:\n    cpu: %d\n  network:\n    vlan: %d\n    region: r%05d", 1+m%64, 100+m%3900, j)
	s.line("  obsolete:\n    also: drop-%05d\n  tags:\n    origin: region\n    zone: z%d", j, m%9)
}

func (s *site) site(k int) {
	m := mix(k+104729, seed)
	r := k % s.regions
	s.head(kindOfGlobal(r%s.globals), fmt.Sprintf("site-%05d", k), "site", false)
	s.parent("region", fmt.Sprintf("r%05d", r), "merge", ".", "replace", ".network")
	if k%2 == 0 {
		q := mix(k, seed+1) % s.regions
		s.substitution(kindOfGlobal(q%s.globals), fmt.Sprintf("region-%05d", q), ".network.vlan", ".uplink.url", "VLAN_[A-Z]+")
	}
	s.line("data:\n  uplink:\n    url: https://gw-%05d.example.net/VLAN_ID/up", k)
	s.line("  network:\n    address: 10.%d.%d.%d\n    mtu: 9000", m%250, m>>8%250, 1+m>>16%250)
	s.line("  tags:\n    origin: site\n    serial: s%05d\n  notes: |\n    rack %d unit %d\n    commissioned by the generator", k, m%40, m%42)
}

func (s *site) catalogue() {
	s.head("Catalogue", "catalogue", "site", false)
	s.line("data:\n  images:")
	for p := range 20 {
		s.line("    img%02d: registry.example.net/dovetail/app%02d:1.%d.%d", p, p, mix(p, seed)%30, p)
	}
}

package gateway

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
)

// index is what a server says of itself at "/".
type index struct {
	Version     string   `json:"version"`
	Collections []string `json:"collections"` // of documents, at the top: "/v2/clusters"
	Endpoints   []string `json:"endpoints"`   // templates: "/api/sd/{kind}"
	Services    []struct {
		Name string `json:"name"`
	} `json:"services"`
}

// services are the names of the services as the header of an answer 404 has them.
func (i index) services() string {
	names := make([]string, len(i.Services))
	for n, service := range i.Services {
		names[n] = service.Name
	}
	return strings.Join(names, ",")
}

// own are the paths that every server has for itself, and so has the gateway.
var own = []string{api.Index, api.Live, api.Ready, api.Metrics, api.OpenAPI}

// prefixes are the beginnings of paths that a server serves: of each endpoint the segments before its first
// variable, "/v2" for documents.
func (i index) prefixes() []string {
	var all []string
	for _, template := range i.Endpoints {
		if slices.Contains(own, template) {
			continue
		}
		fixed, _, _ := strings.Cut(template, "{")
		all = append(all, strings.TrimSuffix(fixed, "/"))
	}
	if len(i.Collections) > 0 {
		all = append(all, api.Root)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// table says which servers, by number, serve what begins with a prefix: none where those that did are away. It is
// immutable once it is in use.
type table map[string][]int

// newTable makes the table of what servers say, in their order; nil for those that said nothing yet.
func newTable(said []*index) table {
	t := make(table)
	for n, i := range said {
		if i == nil {
			continue
		}
		for _, prefix := range i.prefixes() {
			t[prefix] = append(t[prefix], n)
		}
	}
	return t
}

// remember adds the prefixes of an older table, as served by none now.
func (t table) remember(older table) {
	for prefix := range older {
		if _, served := t[prefix]; !served {
			t[prefix] = []int{}
		}
	}
}

// serves reports whether any server gets requests.
func (t table) serves() bool {
	for _, servers := range t {
		if len(servers) > 0 {
			return true
		}
	}
	return false
}

// find returns the servers with the longest prefix of whole segments that the path has, nil for a path without one.
func (t table) find(path string) []int {
	path = strings.TrimRight(path, "/")
	for {
		if servers := t[path]; servers != nil {
			return servers
		}
		cut := strings.LastIndexByte(path, '/')
		if cut < 0 {
			return nil
		}
		path = path[:cut]
	}
}

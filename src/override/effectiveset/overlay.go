package effectiveset

import (
	"cmp"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Overlay are parameters that come to those of an object when an instance is built from ParamSets, which a calculation itself does not read. Each
// replaces the parameter of its name, and goes before the overlays after it.
type Overlay struct {
	Folder      string // of the namespace; "" for the cloud
	Application string // of the object; "" for the object itself
	Member      string // deployParameters, technicalConfigurationParameters or e2eParameters
	Parameters  *value.Value
	// Sources are the files that findings, errors and origins name, by the names of the parameters.
	Sources map[string]string
}

// source is where one of the parameters comes from.
func (o *Overlay) source(name, otherwise string) string { return cmp.Or(o.Sources[name], otherwise) }

// overlay lays the overlays over the objects that were read. Those that nothing reads are findings.
func (c *calculation) overlay(r *repository) {
	for i := range c.Overlays {
		over := &c.Overlays[i]
		o, why := r.overlaid(over)
		if o != nil {
			o.over = append(o.over, over)
			continue
		}
		for _, m := range over.Parameters.Members {
			c.find(ParameterUnused, dovetail.Position{File: over.source(m.Name, "")}, m.Name+" has no effect: "+why)
		}
	}
}

// overlaid is the object that an overlay is for, or why there is none.
func (r *repository) overlaid(over *Overlay) (o *object, why string) {
	if over.Member == e2eMember && (over.Folder != "" || over.Application != "") {
		return nil, "parameters of pipelines are those of the cloud alone"
	}
	o, apps, root := r.cloud, r.apps, r.root
	if over.Folder != "" {
		o = nil
		for _, ns := range r.namespaces {
			if ns.folder == over.Folder {
				o, apps, root = &ns.object, ns.apps, r.root+"/Namespaces/"+ns.folder
			}
		}
		if o == nil {
			return nil, "the environment has no folder " + over.Folder + " below Namespaces"
		}
	}
	if over.Application == "" {
		return o, ""
	}
	if !r.describes(over.Application) {
		return nil, "the solution descriptor has no application " + over.Application
	}
	if apps[over.Application] == nil {
		apps[over.Application] = &object{file: root + "/Applications/" + over.Application + ".yml", data: value.NewMap()}
	}
	return apps[over.Application], ""
}

// describes reports whether the solution descriptor has an application.
func (r *repository) describes(application string) bool {
	for _, e := range r.entries {
		if e.name == application {
			return true
		}
	}
	return false
}

// otherCase is the application of the descriptor that has a name in letters of other cases, "" if there is none.
func (r *repository) otherCase(name string) string {
	for _, e := range r.entries {
		if strings.EqualFold(e.name, name) {
			return e.name
		}
	}
	return ""
}

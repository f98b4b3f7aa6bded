package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
)

const racks = "resources:\n- name: site\n- name: rack\n  parent: site\n"

// The kinds of services come beside those of an operator's files.
func TestKindsOfServices(t *testing.T) {
	for _, test := range []struct {
		name, files string
		services    []string // that the configuration names
		brought     []string // some kinds that there are
		missing     []string // some that there are not
	}{
		{"change sets come by themselves", racks, nil, []string{"rack", "changeSet", "changeSetOperation"}, []string{"cluster", "layeringHead"}},
		{"those of named services", racks, []string{"resources"}, []string{"rack"}, []string{"changeSet"}},
		{"with those that they need", racks, []string{"layering", "override"}, []string{"layeringHead", "secretKey", "siteParamSet", "cluster", "deployPostfix"}, []string{"changeSet", "source"}},
		{"the files may extend them", racks + "- name: asset\n  parent: cluster\n", []string{"override"}, []string{"asset", "cluster"}, nil},
		{"the files decide about kinds that they define", racks + "- name: changeSet\n  path: my-change-sets\n", nil, []string{"changeSet"}, []string{"changeSetOperation"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "own.yaml")
			if err := os.WriteFile(file, []byte(test.files), 0o600); err != nil {
				t.Fatal(err)
			}
			config := Config{RefSchemas: file, NamedServices: test.services}
			model, err := config.refSchemas().compile(nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range test.brought {
				if _, found := model.Kind(name); !found {
					t.Errorf("there is no kind %s", name)
				}
			}
			for _, name := range test.missing {
				if _, found := model.Kind(name); found {
					t.Errorf("there is a kind %s", name)
				}
			}
			if warnings := model.Warnings(); len(warnings) > 0 {
				t.Error(warnings)
			}
		})
	}
}

// What one process brought stays when another reads the same files, and when they change.
func TestKindsOfServicesStay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.yaml")
	compile := func(text string, inForce *schema.Model, services ...string) *schema.Model {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		model, err := refSchemaFiles{path: file, services: services}.compile(inForce)
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
	first := compile(racks, nil, "changeset")
	both := compile(racks+"- name: device\n  parent: rack\n", first, "layering")
	for _, name := range []string{"device", "changeSet", "layeringHead"} {
		if _, found := both.Kind(name); !found {
			t.Errorf("there is no kind %s", name)
		}
	}
	if again := compile(racks+"- name: device\n  parent: rack\n", both, "changeset"); again.Hash() != both.Hash() {
		t.Error("the order in which processes start decides about the ref-schema")
	}
	next, err := schema.Compile([]schema.Source{{Name: "next.yaml", Data: []byte(racks)}})
	if err != nil {
		t.Fatal(err)
	}
	completed, err := next.Completed(both)
	if err != nil {
		t.Fatal(err)
	}
	if _, found := completed.Kind("changeSet"); !found {
		t.Error("a migration takes away the kinds of services")
	}
}

// The ref-schema that is built in is the one of all services.
func TestBuiltInKinds(t *testing.T) {
	shipped, err := refSchemaFiles{}.compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := schema.Compile(serviceSchemas())
	if err != nil {
		t.Fatal(err)
	}
	if shipped.Hash() != parts.Hash() {
		t.Errorf("%v", schema.Diff(parts, shipped))
	}
	for _, service := range allServices {
		if service == ServiceResources {
			continue
		}
		part := func(s schema.Source) bool { return s.BuiltInName() == service }
		if !slices.ContainsFunc(serviceSchemas(), part) {
			t.Errorf("the service %s brings no kinds", service)
		}
	}
	if !strings.HasPrefix(serviceSchemas()[0].Name, "dovetail:") {
		t.Error(serviceSchemas()[0].Name)
	}
}

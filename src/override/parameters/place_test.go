package parameters_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

func TestParseLocation(t *testing.T) {
	const site, cluster, environment = "environments/parameters", "environments/c/parameters", "environments/c/e/Inventory/parameters"
	tests := []struct {
		text, want string // "" is refused
	}{
		{site, site},
		{"/environments/parameters/", site},
		{cluster, cluster},
		{"environments/parameters/c", cluster},
		{"environments/parameters/c/parameters", cluster},
		{environment, environment},
		{"environments/parameters/c/e", environment},
		{"environments/parameters/c/e/Inventory/parameters/", environment},
		{"", ""},
		{"environments", ""},
		{"parameters", ""},
		{"environments/c", ""},
		{"environments/c/e", ""},
		{"environments/c/e/parameters", ""},
		{"environments/c/e/Inventory", ""},
		{"environments/c/e/f/parameters", ""},
		{"environments/parameters/c/e/f", ""},
		{"environments/parameters/c/e/Inventory", ""},
		{"environments//parameters", ""},
		{"environments/../parameters", ""},
		{"elsewhere/c/parameters", ""},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			l, err := parameters.ParseLocation(test.text)
			switch {
			case test.want == "" && dovetail.CodeOf(err) != dovetail.CodeInvalid:
				t.Errorf("%s: %v", l, err)
			case test.want != "" && (err != nil || l.String() != test.want):
				t.Errorf("%s, want %s: %v", l, test.want, err)
			}
		})
	}
}

func FuzzParseLocation(f *testing.F) {
	for _, seed := range []string{"environments/parameters", "environments/a/parameters", "/environments/parameters/a/b/", "environments/a/b/Inventory/parameters", "a//b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parameters.ParseLocation(text)
		if err != nil {
			return
		}
		if again, err := parameters.ParseLocation(l.String()); err != nil || again != l {
			t.Fatalf("%q is read as %v, which is read as %v: %v", text, l, again, err)
		}
	})
}

func TestReaches(t *testing.T) {
	e := inventory.Environment{Cluster: "c", Name: "e"}
	for text, want := range map[string]bool{"environments/parameters": true, "environments/c/parameters": true, "environments/d/parameters": false,
		"environments/c/e/Inventory/parameters": true, "environments/c/f/Inventory/parameters": false, "environments/d/e/Inventory/parameters": false} {
		l, err := parameters.ParseLocation(text)
		if err != nil || l.Reaches(e) != want {
			t.Errorf("%s: %t, %v", text, l.Reaches(e), err)
		}
	}
}

// Ids never change: clients have stored them.
func TestIDs(t *testing.T) {
	site, e := parameters.Location{}, inventory.Environment{Cluster: "c", Name: "e"}
	id := parameters.ParamSetID(site, "shared")
	if want := "84aab584-6826-59e4-ab41-04d6f4836219"; id != want {
		t.Errorf("%s, want %s", id, want)
	}
	all := map[string]string{id: "site"}
	for what, id := range map[string]string{
		"environment": parameters.ParamSetID(parameters.Location(e), "shared"),
		"cluster":     parameters.ParamSetID(parameters.Location{Cluster: "c"}, "shared"),
		"other name":  parameters.ParamSetID(site, "share"),
		"deploy":      parameters.AssociationID(e, parameters.Deployment, "cloud", id),
		"runtime":     parameters.AssociationID(e, parameters.Runtime, "cloud", id),
		"object":      parameters.AssociationID(e, parameters.Deployment, "core", id),
	} {
		if all[id] != "" || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
			t.Errorf("%s has the id %s, as has %q", what, id, all[id])
		}
		all[id] = what
	}
}

func TestParseContext(t *testing.T) {
	for text, want := range map[string]string{"deploy": "deploy", "deployment": "deploy", "runtime": "runtime", "pipeline": "pipeline", "Deploy": "", "": ""} {
		c, err := parameters.ParseContext(text)
		if (err == nil) != (want != "") || err == nil && c.Token() != want {
			t.Errorf("%q: %v, %v", text, c, err)
		}
		if err != nil && !strings.Contains(err.Error(), "runtime") {
			t.Errorf("the error does not say what there is: %v", err)
		}
	}
}

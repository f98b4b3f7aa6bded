package access_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

func TestAnywhere(t *testing.T) {
	file, err := access.Parse("", []byte(`
roles:
  - name: editor-of-apps
    rules: [{kinds: [app], verbs: [create, update]}]
bindings:
  - {role: viewer, users: [viewer]}
  - {role: editor-of-apps, users: [ann], on: [project/p]}
  - {role: editor-of-apps, users: [bob], on: [project/p/app/a]}
`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		who   string
		right dovetail.Right
		kinds []string
		id    dovetail.ID
		want  bool
	}{
		{name: "a user without a role", who: "norole", right: dovetail.RightRead},
		{name: "a viewer reads", who: "viewer", right: dovetail.RightRead, kinds: []string{"app"}, id: "project/q", want: true},
		{name: "a viewer changes nothing", who: "viewer", right: dovetail.RightUpdate},
		{name: "any kind", who: "ann", right: dovetail.RightCreate, want: true},
		{name: "another right", who: "ann", right: dovetail.RightDelete},
		{name: "another kind", who: "ann", right: dovetail.RightCreate, kinds: []string{"project"}},
		{name: "one of the kinds", who: "ann", right: dovetail.RightCreate, kinds: []string{"project", "app"}, want: true},
		{name: "at the place", who: "ann", right: dovetail.RightCreate, kinds: []string{"app"}, id: "project/p", want: true},
		{name: "below the place", who: "ann", right: dovetail.RightCreate, kinds: []string{"app"}, id: "project/p/app/a", want: true},
		{name: "another place", who: "ann", right: dovetail.RightCreate, kinds: []string{"app"}, id: "project/q"},
		{name: "a place below", who: "bob", right: dovetail.RightUpdate, kinds: []string{"app"}, id: "project/p", want: true},
		{name: "a place of a similar name", who: "bob", right: dovetail.RightUpdate, kinds: []string{"app"}, id: "project/p/app/ab"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := file.Policy.For(&dovetail.Principal{Name: test.who}).Anywhere(test.right, test.kinds, test.id); got != test.want {
				t.Errorf("%t", got)
			}
		})
	}
}

package access_test

import (
	"reflect"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

func TestRolesOf(t *testing.T) {
	file, err := access.Parse("", []byte(`
roles:
  - name: deployer
    rules: [{kinds: [app], verbs: [create, update]}]
bindings:
  - {role: viewer, users: ["*"], on: [project/z]}
  - {role: deployer, users: [ann], on: [project/p]}
  - {role: deployer, groups: [team], on: [project/a/*, project/p]}
  - {role: editor, users: [root], on: [project/p]}
  - {role: editor, users: [root]}
  - {role: editor, groups: [admins], on: [project/q]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		who  *dovetail.Principal
		want []dovetail.HeldRole
	}{
		{name: "nobody"},
		{name: "everyone's", who: &dovetail.Principal{Name: "bob"}, want: []dovetail.HeldRole{{Role: "viewer", On: []string{"project/z"}}}},
		{name: "one binding", who: &dovetail.Principal{Name: "ann"}, want: []dovetail.HeldRole{{Role: "deployer", On: []string{"project/p"}}, {Role: "viewer", On: []string{"project/z"}}}},
		{name: "with a group's", who: &dovetail.Principal{Name: "ann", Groups: []string{"team"}},
			want: []dovetail.HeldRole{{Role: "deployer", On: []string{"project/a/*", "project/p"}}, {Role: "viewer", On: []string{"project/z"}}}},
		{name: "everywhere, by one of several", who: &dovetail.Principal{Name: "root", Groups: []string{"admins"}}, want: []dovetail.HeldRole{{Role: "editor"}, {Role: "viewer", On: []string{"project/z"}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := file.Policy.RolesOf(test.who); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

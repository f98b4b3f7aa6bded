package dovetail_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func ExampleID_Child() {
	project := dovetail.ID("").Child("project", "p1")
	app := project.Child("app", "front/end")
	fmt.Println(app)
	fmt.Println(app.IsDescendantOf(project))
	fmt.Println(app.Key().Value("app"))
	// Output:
	// project/p1/app/front%2Fend
	// true
	// front/end true
}

func ExampleParseID() {
	id, err := dovetail.ParseID("project/p1/app/nginx")
	fmt.Println(id, err)
	_, err = dovetail.ParseID("project/p1/app")
	fmt.Println(err)
	// Output:
	// project/p1/app/nginx <nil>
	// invalid id "project/p1/app": it must be name/value pairs joined by slashes; write the key from the root on, as name/value pairs: project/p1/app/nginx
}

func ExampleDocument_ETag() {
	doc := &dovetail.Document{ID: "project/p1", UID: "k3n5", Revision: 7}
	fmt.Println(doc.ETag())
	read, err := dovetail.ParseETag(`"k3n5-7"`)
	fmt.Println(read == doc.ETag(), err)
	// Output:
	// "k3n5-7"
	// true <nil>
}

// A program decides by the code, and reads the details from the fields.
func ExampleCodeOf() {
	err := fmt.Errorf("deploying: %w", &dovetail.Error{
		Code:    dovetail.CodeMissing,
		Message: "service/api refers to team/core, which does not exist",
		Remedy:  "create it first, or in the same batch",
		Key:     "service/api",
		Missing: []dovetail.ID{"team/core"},
	})
	switch dovetail.CodeOf(err) {
	case dovetail.CodeMissing:
		fmt.Println("create first:", dovetail.AsError(err).Missing)
	case dovetail.CodeStale, dovetail.CodeConflict:
		fmt.Println("read again")
	default:
		fmt.Println(err)
	}
	// Output: create first: [team/core]
}

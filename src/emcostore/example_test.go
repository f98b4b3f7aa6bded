package emcostore_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/emcostore"
)

// A service of EMCO sets its variable db.DBconn, of the type db.Store, and goes on as before.
func ExampleNew() {
	ctx := context.Background()
	s, err := embedded.Open(ctx, embedded.Options{SchemaFS: emcostore.Schema(os.DirFS("../../ref-schemas/examples/emco"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	var DBconn Store // db.DBconn
	if DBconn, err = emcostore.New[Key](s.Engine(), s.Engine().Model(), emcostore.Options{}); err != nil {
		fmt.Println(err)
		return
	}

	project := map[string]any{"metadata": map[string]any{"name": "p1"}}
	fmt.Println(DBconn.Insert(ctx, "resources", map[string]string{"project": "p1"}, nil, "data", project))
	fmt.Println(DBconn.Insert(ctx, "resources", map[string]string{"project": "p2", "logicalCloud": "lc"}, nil, "data", project))

	doc, err := s.Get(ctx, "project/p1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.ID, string(doc.Data))
	// Output:
	// <nil>
	// db Insert parent resource not found: project/p2/logicalCloud/lc cannot be stored: its parent project/p2 does not exist; create what is missing first, or in the same batch
	// project/p1 {"metadata":{"name":"p1"}}
}

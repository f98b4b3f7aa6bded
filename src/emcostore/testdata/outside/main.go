// Command outside is a service that knows its database by the interface of EMCO only.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
)

type projectKey struct {
	Project string `json:"project"`
}

type cloudKey struct {
	Project string `json:"project"`
	Cloud   string `json:"logicalCloud"`
}

type resource struct {
	MetaData struct {
		Name      string `json:"name"`
		UserData1 string `json:"userData1"`
	} `json:"metadata"`
}

func main() {
	ctx := context.Background()
	if err := InitializeDatabaseConnection(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
	var p resource
	p.MetaData.Name, p.MetaData.UserData1 = "p1", "kept"
	fmt.Println("insert:", DBconn.Insert(ctx, "resources", projectKey{"p1"}, nil, "data", p))
	p.MetaData.Name = "lc"
	fmt.Println("insert:", DBconn.Insert(ctx, "resources", cloudKey{"p1", "lc"}, nil, "data", p))

	found, err := DBconn.Find(ctx, "resources", cloudKey{"p1", ""}, "data")
	if err != nil {
		log.Fatal(err)
	}
	for _, value := range found {
		var is resource
		if err := DBconn.Unmarshal(value, &is); err != nil {
			log.Fatal(err)
		}
		fmt.Println("found:", is.MetaData.Name, is.MetaData.UserData1)
	}
	fmt.Println("remove:", DBconn.Remove(ctx, "resources", projectKey{"p1"}))
	fmt.Println("remove:", DBconn.Remove(ctx, "resources", cloudKey{"p1", "lc"}))
	fmt.Println("remove:", DBconn.Remove(ctx, "resources", projectKey{"p1"}))
}

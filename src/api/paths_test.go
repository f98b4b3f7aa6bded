package api_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/api"
)

func Example() {
	fmt.Println(api.Fill(api.DeadLetters, "a/b"))
	fmt.Println(api.IsReserved("/backup/{name}"), api.IsReserved("/backups"))
	// Output:
	// /v2/webhooks/a%2Fb/dead-letters
	// true false
}

package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

func ExampleNew() {
	dir, err := os.MkdirTemp("", "dovetail")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	backend, err := bolt.Open(filepath.Join(dir, "dovetail.db"), bolt.Options{})
	if err != nil {
		panic(err)
	}
	defer backend.Close()
	model, err := schema.Compile([]schema.Source{{Name: "v1.yaml", Data: []byte("resources:\n  - name: project\n  - {name: app, parent: project}\n")}})
	if err != nil {
		panic(err)
	}
	resources, err := store.Open(context.Background(), backend, model, store.Config{})
	if err != nil {
		panic(err)
	}
	api := httpapi.New(resources, httpapi.Options{})
	defer api.Close()
	server := httptest.NewServer(api)
	defer server.Close()

	for _, path := range []string{"/v2/projects/p1/apps", "/v2/projects"} {
		answer, err := http.Post(server.URL+path, "application/json", strings.NewReader(`{"metadata":{"name":"p1"}}`))
		if err != nil {
			panic(err)
		}
		fmt.Println(answer.StatusCode, answer.Header.Get("Content-Type"))
		answer.Body.Close()
	}
	answer, err := http.Get(server.URL + "/v2/projects")
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(body))
	// Output:
	// 409 application/problem+json
	// 201 application/json
	// [{"metadata":{"name":"p1"}}]
}

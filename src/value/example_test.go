package value_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/value"
)

func ExampleParseJSON() {
	v, err := value.ParseJSON([]byte(`{"size": 12345678901234567890, "cost": 1.50}`), value.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(v.JSON()))

	_, err = value.ParseJSON([]byte("{\n  \"a\": {\"b\": [1, 2,]}\n}"), value.Limits{})
	fmt.Println(err)
	// Output:
	// {"size":12345678901234567890,"cost":1.50}
	// 2:20 /a/b: there is a comma before the closing bracket; remove the comma
}

func ExampleMergePatch() {
	target, _ := value.ParseJSON([]byte(`{"name":"nginx","spec":{"replicas":1,"tier":"front"}}`), value.Limits{})
	patch, _ := value.ParseJSON([]byte(`{"spec":{"replicas":3,"tier":null}}`), value.Limits{})
	fmt.Println(string(value.MergePatch(target, patch).JSON()))
	// Output: {"name":"nginx","spec":{"replicas":3}}
}

func ExampleValue_Find() {
	v, _ := value.ParseJSON([]byte(`{"spec":{"apps":["web","db"]}}`), value.Limits{})
	app, found := v.Find(value.Pointer("spec", "apps", "1"))
	fmt.Println(string(app.JSON()), found)
	// Output: "db" true
}

func ExampleValue_Set() {
	v := value.NewMap(value.Member{Name: "name", Value: value.NewString("nginx")})
	v.Set("ports", value.NewList(value.NewNumber(80), value.NewNumber(443)))
	fmt.Println(string(v.JSON()))
	// Output: {"name":"nginx","ports":[80,443]}
}

package emco

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestEmpty renames empty values: what Go leaves out of JSON is left out, and nothing else.
func TestEmpty(t *testing.T) {
	for _, test := range []struct {
		kind  string // with omitempty
		empty string // as it is stored
		omits bool   // a value
	}{
		{"bool", `false`, true},
		{"int", `{"$numberInt":"0"}`, true},
		{"int32", `{"$numberInt":"0"}`, true},
		{"int64", `{"$numberLong":"0"}`, true},
		{"string", `""`, true},
		{"bytes", `{"$binary":{"base64":"","subType":"00"}}`, true},
		{"list of string", `[]`, true},
		{"map to string", `{}`, true},
		{"object", `{}`, false},
	} {
		t.Run(test.kind, func(t *testing.T) {
			table := `[{"stored":"member","json":"Member","type":"` + test.kind + `","omitempty":true`
			for _, f := range []struct {
				is, table, stored string
				omits             bool
			}{
				{"a value", table + `}]`, test.empty, test.omits},
				{"a pointer to a value", table + `,"pointer":true}]`, test.empty, false},
				{"no pointer", table + `,"pointer":true}]`, `null`, true},
			} {
				fields, stored := fieldsOf(parse(t, f.table)), parse(t, `{"member":`+f.stored+`}`)
				rename := &renaming{}
				api := rename.object(fields, stored, "")
				if has := api.Get("Member") != nil; has == f.omits || len(rename.odd) > 0 {
					t.Errorf("%s becomes %s", f.is, api.JSON())
				}
				if back := original(fields, api); f.is != "a value" && string(back.JSON()) != string(stored.JSON()) {
					t.Errorf("%s comes back as %s", f.is, back.JSON())
				}
			}
		})
	}
}

// TestPointers knows which fields are pointers to what omitempty would leave out.
func TestPointers(t *testing.T) {
	pointers := make(map[string]bool)
	var visit func(path string, fields []field)
	visit = func(path string, fields []field) {
		for _, f := range fields {
			if f.pointer && f.omitEmpty {
				pointers[path+f.json] = true
			}
			visit(path+f.json+".", f.fields)
		}
	}
	for kind, members := range table() {
		visit(kind+".", members[memberData])
	}
	for _, want := range []string{"hpaResource.spec.allocatable", "policyIntent.spec.actorArg"} {
		if !pointers[want] {
			t.Errorf("%s is no pointer; known are %v", want, pointers)
		}
	}
}

// inGroup are the resources above those of a deployment intent group.
var inGroup = []string{project, version, nginx, group}

// below is a resource in the deployment intent group.
func below(t *testing.T, elements, data string) *value.Value {
	t.Helper()
	stored := parse(t, `{"_id":"x","project":"p","compositeApp":"ca","compositeAppVersion":"v1","deploymentIntentGroup":"dig",`+elements+`,"references":[],"data":`+data+`}`)
	names := []string{}
	for _, m := range stored.Members[1:] {
		if m.Name != "references" && m.Name != "data" {
			names = append(names, m.Name)
		}
	}
	stored.Set("keyId", value.NewString("{"+strings.Join(names, ",")+"}"))
	return stored
}

// TestPointersMigrate migrates what a pointer makes a value, and EMCO requires.
func TestPointersMigrate(t *testing.T) {
	const metadata = `{"metadata":{"name":"x","description":"","userdata1":"","userdata2":""}`
	var stored []*value.Value
	for _, text := range inGroup {
		stored = append(stored, parse(t, text))
	}
	const intent, consumer = `"hpaIntent":"i"`, `"hpaIntent":"i","hpaConsumer":"c"`
	stored = append(stored, below(t, intent, metadata+`,"spec":{"appname":"nginx"}}`),
		below(t, consumer, metadata+`,"spec":{"apiversion":"v1","kind":"Deployment","replicas":{"$numberLong":"0"},"name":"n","containername":""}}`))
	const key = `"nonallocatableresources":{"key":"label","value":"yes"},"allocatableresources":{"name":"","requests":{"$numberLong":"0"},"limits":{"$numberLong":"0"},"units":""}`
	const cpu = `"nonallocatableresources":{"key":"","value":""},"allocatableresources":{"name":"cpu","requests":{"$numberLong":"1"},"limits":{"$numberLong":"0"},"units":""}`
	for name, spec := range map[string]string{
		"no":  `"allocatable":false,"mandatory":false,"weight":{"$numberInt":"0"},"resource":{` + key + `}`,
		"yes": `"allocatable":true,"mandatory":false,"weight":{"$numberInt":"0"},"resource":{` + cpu + `}`,
	} {
		stored = append(stored, below(t, consumer+`,"hpaResource":"`+name+`"`, metadata+`,"spec":{`+spec+`}}`))
	}
	migration := migrate(t, emcoModel(t), stored, Options{Dangling: true})
	for _, f := range migration.Findings {
		if f.Problem == Refused || f.Problem == OddValue {
			t.Errorf("found %+v", f)
		}
	}
	want := map[string]string{"no": `"spec":{"allocatable":false,"resource":{"key":"label","value":"yes"}}`, "yes": `"spec":{"allocatable":true,"resource":{"name":"cpu","requests":1}}`}
	for _, doc := range migration.Documents {
		if doc.Kind == "hpaResource" {
			name := doc.ID.Key()[len(doc.ID.Key())-1].Value
			if !strings.Contains(string(doc.Data), want[name]) {
				t.Errorf("%s is %s, want %s", name, doc.Data, want[name])
			}
			delete(want, name)
		}
	}
	if len(want) > 0 {
		t.Errorf("%v are not migrated", want)
	}
}

// TestItems takes over resources as the API shows them, in which nothing is unknown.
func TestItems(t *testing.T) {
	kind, _ := emcoModel(t).Kind("hpaResource")
	const id = inVersion + "/deploymentIntentGroup/dig/hpaIntent/i/hpaConsumer/c/hpaResource/r"
	for _, data := range []string{
		`{"metadata":{"name":"r"},"spec":{"allocatable":false,"resource":{"key":"label","value":"yes"}}}`,
		`{"metadata":{"name":"r"},"spec":{"allocatable":true,"resource":{"name":"cpu","requests":1}}}`,
	} {
		m := New(emcoModel(t), new(inMemory), Options{})
		if err := m.AddItem(Item{Kind: kind, ID: id, Data: parse(t, data)}); err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Findings {
			t.Errorf("found %+v", f)
		}
		doc, err := m.document(m.at(id))
		if err != nil {
			t.Fatal(err)
		}
		if string(doc.Data) != data {
			t.Errorf("got %s, want %s", doc.Data, data)
		}
	}
}

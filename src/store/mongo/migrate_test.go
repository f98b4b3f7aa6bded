package mongo

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestMigrate migrates a database that two processes have open, one of which writes all the time: every document that it stored is there
// afterwards, under its new id, and with its references.
func TestMigrate(t *testing.T) {
	uri := freshURI(t)
	const before = "resources:\n- name: device\n- name: port\n  parent: device\n  unique: [spec.serial]\n- name: cable\n  references: [{name: port, at: spec.a, exclusive: true}]\n"
	const after = "resources:\n- name: host\n- name: port\n  parent: host\n  unique: [spec.serial]\n- name: cable\n  references: [{name: port, at: spec.from, exclusive: true}]\n"
	const steps = "steps:\n- rename: {element: device, to: host}\n- move: {kind: cable, member: spec.a, to: spec.from}\n"
	stores := make([]*store.Store, 2)
	for i := range stores {
		b := mustOpen(t, uri)
		t.Cleanup(func() { _ = b.Close() })
		s, err := store.Open(t.Context(), b, compileModel(t, before), store.Config{Agreement: agreement})
		must(t, err)
		stores[i] = s
	}
	create := func(s *store.Store, id, data string) error {
		v, err := value.ParseJSON([]byte(data), value.Limits{})
		must(t, err)
		_, err = s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: dovetail.ID(id), Data: v}}, store.Options{})
		return err
	}
	must(t, create(stores[0], "device/d", "{}"))
	wrote := make(chan int)
	stop := make(chan struct{})
	go func() {
		n := 0
		defer func() { wrote <- n }()
		for ; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			port := fmt.Sprintf("p%03d", n)
			if err := create(stores[1], "device/d/port/"+port, fmt.Sprintf(`{"spec":{"serial":%d}}`, n)); err != nil {
				if dovetail.CodeOf(err) != dovetail.CodeInvalid {
					t.Errorf("a write: %v", err)
				}
				return // the kind has gone
			}
			if err := create(stores[1], "cable/"+port, fmt.Sprintf(`{"spec":{"a":{"device":"d","port":%q}}}`, port)); err != nil {
				if dovetail.CodeOf(err) != dovetail.CodeUnprocessable && dovetail.CodeOf(err) != dovetail.CodeMissing {
					t.Errorf("a cable: %v", err)
				}
				n++
				return
			}
		}
	}()
	next := compileModel(t, after)
	m, err := store.ParseMigration(store.MigrationFile{Name: "m.yaml", Text: []byte(steps), Next: next}, stores[0].Model())
	must(t, err)
	done, err := stores[0].Migrate(t.Context(), m, store.MigrateOptions{Message: "hosts"})
	must(t, err)
	close(stop)
	n := <-wrote
	must(t, stores[1].RenewLease(t.Context()))
	if stores[1].Model().Hash() != next.Hash() {
		t.Error("the other process has another ref-schema in force")
	}
	ports := 0
	for doc, err := range stores[1].Documents(t.Context(), store.ListQuery{}) {
		must(t, err)
		switch doc.Kind {
		case "port":
			ports++
			if !doc.ID.IsDescendantOf("host/d") {
				t.Errorf("%s was left", doc.ID)
			}
		case "cable":
			if len(doc.References) == 1 && !doc.References[0].ID.IsDescendantOf("host/d") {
				t.Errorf("%s refers to %v", doc.ID, doc.References)
			}
		}
	}
	if ports != n || done.Documents < 2*n || n == 0 {
		t.Errorf("%d ports were written, %d are there, %+v", n, ports, done)
	}
	for f, err := range stores[1].Check(t.Context(), false) {
		must(t, err)
		t.Errorf("%+v", f)
	}
	if err := create(stores[1], "host/d/port/again", `{"spec":{"serial":0}}`); dovetail.CodeOf(err) != dovetail.CodeConflict {
		t.Errorf("a serial number is taken twice: %v", err)
	}
}

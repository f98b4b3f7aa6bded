package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

func kinds(t testing.TB) *manifest.Kinds {
	t.Helper()
	source, err := schema.ReadFile("testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile([]schema.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	return manifest.NewKinds(model)
}

// show writes an operation on one line.
func show(op store.Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", op.Verb, op.ID)
	if op.Action != "" {
		b.WriteString(" " + op.Action)
	}
	if op.Data != nil {
		fmt.Fprintf(&b, " %s", op.Data.JSON())
	}
	for _, tag := range op.IfMatch {
		fmt.Fprintf(&b, " if %s", tag)
	}
	if op.IfExists {
		b.WriteString(" if exists")
	}
	if op.Cascade {
		b.WriteString(" cascade")
	}
	if op.FieldManager != "" {
		fmt.Fprintf(&b, " by %q %s", op.FieldManager, op.Force)
	}
	for _, f := range op.Content {
		fmt.Fprintf(&b, " file %s %q %q %q", f.Name, f.Filename, f.MediaType, f.Data)
	}
	if op.Content != nil && len(op.Content) == 0 {
		b.WriteString(" no files")
	}
	return b.String() + " at " + op.Position.String()
}

func TestOperations(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  string // operations, one a line
	}{
		{name: "inline data", input: "kind: project\nmetadata: {name: p1}\nspec: {a: 1}",
			want: `put project/p1 {"metadata":{"name":"p1"},"spec":{"a":1}} at f:1:1`},
		{name: "data of its own", input: "kind: project\ndata: {metadata: {name: p1}, kind: x}",
			want: `put project/p1 {"metadata":{"name":"p1"},"kind":"x"} at f:1:1 /data`},
		{name: "inline data keeps what an envelope would mean", input: "kind: project\nmetadata: {name: p1}\nschema: x\nuid: y",
			want: `put project/p1 {"metadata":{"name":"p1"},"schema":"x","uid":"y"} at f:1:1`},
		{name: "envelope", input: `{"id":"project/p1","kind":"project","key":{"project":"p1"},"keyId":"{project,}","data":{"a":1},"content":[{"name":"f","size":3}],` +
			`"status":{},"references":[],"uid":"u","revision":1,"created":"x","updated":"y","schema":"z","etag":"\"u-1\""}`,
			want: `put project/p1 {"a":1} at f:1:1 /data`},
		{name: "key of the parents", input: "kind: label\nkey: {project: p1}\nlabel: x", want: `put project/p1/label/x {"label":"x"} at f:1:1`},
		{name: "whole key", input: "kind: label\nkey: {label: x, project: p/1}\nspec: {}", want: `put project/p%2F1/label/x {"spec":{}} at f:1:1`},
		{name: "two names", input: "kind: composite-apps\nkey: {project: p1}\nmetadata: {name: CA}\nspec: {compositeAppVersion: v1}",
			want: `put project/p1/compositeApp/CA/compositeAppVersion/v1 {"metadata":{"name":"CA"},"spec":{"compositeAppVersion":"v1"}} at f:1:1`},
		{name: "only fixed value", input: "kind: agent\nmetadata: {name: a}", want: `put policyModule/Agent/agent/a {"metadata":{"name":"a"}} at f:1:1`},
		{name: "one of several fixed values", input: "kind: controller\nkey: {controllerGroup: cluster}\nmetadata: {name: c}",
			want: `put controllerGroup/cluster/controller/c {"metadata":{"name":"c"}} at f:1:1`},
		{name: "id without kind", input: "id: project/p1\ndata: {}", want: `put project/p1 {} at f:1:1 /data`},
		{name: "create", input: "op: create\nkind: project\nmetadata: {name: p}", want: `create project/p {"metadata":{"name":"p"}} at f:1:1`},
		{name: "patch", input: "op: patch\nid: project/p\ndata: {spec: null}", want: `patch project/p {"spec":null} at f:1:1 /data`},
		{name: "apply", input: "op: apply\nkind: project\nmetadata: {name: p}\nfieldManager: ann", want: `apply project/p {"metadata":{"name":"p"}} by "ann" unowned at f:1:1`},
		{name: "apply by force", input: "op: apply\nid: project/p\nfieldManager: ann\nforce: true\ndata: {force: false}", want: `apply project/p {"force":false} by "ann" all at f:1:1 /data`},
		{name: "put by a manager", input: "id: project/p\nfieldManager: ann\ndata: {}", want: `put project/p {} by "ann"  at f:1:1 /data`},
		{name: "a manager of inline data is data", input: "kind: project\nmetadata: {name: p}\nfieldManager: ann", want: `put project/p {"metadata":{"name":"p"},"fieldManager":"ann"} at f:1:1`},
		{name: "force of a put is data", input: "kind: project\nmetadata: {name: p}\nforce: true", want: `put project/p {"metadata":{"name":"p"},"force":true} at f:1:1`},
		{name: "delete by id", input: "op: delete\nid: project/p\ncascade: true", want: `delete project/p cascade at f:1:1`},
		{name: "delete by a whole manifest", input: "op: delete\nkind: project\nmetadata: {name: p}\nspec: {x: 1}", want: `delete project/p at f:1:1`},
		{name: "delete by an envelope", input: "op: delete\nkind: project\nuid: u\ndata: {metadata: {name: p}}", want: `delete project/p at f:1:1 /data`},
		{name: "status", input: "op: status\nkind: project\nkey: {project: p}\nstatus: {phase: x}\nmetadata: {name: p}", want: `status project/p {"phase":"x"} at f:1:1 /status`},
		{name: "status as data", input: "op: status\nid: project/p\ndata: {metadata: {name: other}}", want: `status project/p {"metadata":{"name":"other"}} at f:1:1 /data`},
		{name: "action", input: "op: action\nid: project/p\naction: approve\ndata: now", want: `status project/p approve "now" at f:1:1 /data`},
		{name: "action without a body", input: "op: action\nkind: project\nkey: {project: p}\naction: approve", want: `status project/p approve at f:1:1 /data`},
		{name: "versions", input: "id: project/p\nifMatch: ['\"u-1\"', v-2]\ndata: {}", want: `put project/p {} if "u-1" if "v-2" at f:1:1 /data`},
		{name: "any version", input: "id: project/p\nifMatch: '*'\ndata: {}", want: `put project/p {} if exists at f:1:1 /data`},
		{name: "files", input: "kind: app\nkey: {project: p, compositeApp: c, compositeAppVersion: v}\nmetadata: {name: a}\ncontent: [{filename: f.tgz, mediaType: a/b, data: AAE=}]",
			want: `put project/p/compositeApp/c/compositeAppVersion/v/app/a {"metadata":{"name":"a"}} file file "f.tgz" "a/b" "\x00\x01" at f:1:1`},
		{name: "several files", input: "kind: bundle\nkey: {project: p}\nmetadata: {name: b}\ncontent: [{name: files, data: QQ==}, {name: files, data: Qg==}]",
			want: `put project/p/bundle/b {"metadata":{"name":"b"}} file files "" "" "A" file files "" "" "B" at f:1:1`},
		{name: "no files", input: "kind: bundle\nkey: {project: p}\nmetadata: {name: b}\ncontent: []", want: `put project/p/bundle/b {"metadata":{"name":"b"}} no files at f:1:1`},
		{name: "a list", input: "- {id: project/a, data: {}}\n- {id: project/b, data: {}}", want: "put project/a {} at f:1:3 /data\nput project/b {} at f:2:3 /data"},
		{name: "documents", input: "---\n---\nid: project/a\ndata: {}\n---\nitems:\n- {id: project/b, data: {}}\n- [{id: project/c, data: {}}]",
			want: "put project/a {} at f:3:1 /data\nput project/b {} at f:7:3 /data\nput project/c {} at f:8:4 /data"},
		{name: "a kind List", input: "kind: List\nitems: [{id: project/a, data: {}}]", want: "put project/a {} at f:2:9 /data"},
		{name: "operations", input: "operations: [{op: delete, id: project/a}]", want: "delete project/a at f:1:14"},
		{name: "items of a kind's own", input: "kind: project\nmetadata: {name: p}\nitems: [1]", want: `put project/p {"metadata":{"name":"p"},"items":[1]} at f:1:1`},
		{name: "nothing", input: "[]", want: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values, err := yaml.Parse("", []byte(tt.input), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			ops, err := manifest.Operations(kinds(t), "f", values)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, op := range ops {
				got = append(got, show(op))
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}

func TestOperationsTellErrors(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  string // of every error its index and text, except the remedy
	}{
		{name: "no object", input: "- 1", want: "1 f:1:3: the manifest must be a map, not the number 1"},
		{name: "no kind", input: "metadata: {name: p}", want: "1 f:1:1: the manifest has no kind"},
		{name: "unknown kind", input: "kind: projct\nmetadata: {name: p}", want: `1 f:1:7 /kind: there is no kind "projct"`},
		{name: "abstract kind", input: "kind: policyModule\nmetadata: {name: p}", want: "1 f:1:7 /kind: the kind policyModule has no documents of its own"},
		{name: "kind and id", input: "kind: label\nid: project/p\ndata: {}", want: "1 f:2:5 /id: the id is that of a project, not of a label"},
		{name: "bad id", input: "id: project\ndata: {}", want: `1 f:1:5 /id: invalid id "project": it must be name/value pairs joined by slashes`},
		{name: "unknown id", input: "id: planet/p\ndata: {}", want: "1 f:1:5 /id: unknown kind: no kind has the key elements planet"},
		{name: "key and id", input: "id: project/p\nkey: {project: q}\ndata: {}", want: `1 f:2:16 /key/project: project is "q" in the key and "p" in the id`},
		{name: "no name", input: "kind: label\nspec: {}", want: "1 f:1:1 /key: the key of the label lacks project, label"},
		{name: "an empty name", input: "kind: project\nmetadata:\n  name: \"\"\nspec: {}", want: "1 f:3:9 /metadata/name: the key of the project lacks project"},
		{name: "an empty name beside a missing parent", input: "kind: label\nmetadata:\n  name: \"\"", want: "1 f:3:9 /metadata/name: the key of the label lacks project, label"},
		{name: "several fixed values", input: "kind: controller\nmetadata: {name: c}", want: "1 f:1:1 /key: the key of the controller lacks controllerGroup"},
		{name: "unknown element", input: "kind: project\nkey: {projekt: x}\nmetadata: {name: p}", want: `1 f:2:7 /key/projekt: the key of the project has the unknown member "projekt"`},
		{name: "number in the key", input: "kind: label\nkey: {project: 5}\nlabel: x", want: "1 f:2:16 /key/project: project must be a string, not the number 5"},
		{name: "no key", input: "kind: label\nkey: p1\nlabel: x", want: "1 f:2:6 /key: the key of the label must be a map, not a string"},
		{name: "impossible value", input: "kind: project\nkey: {project: '..'}\nspec: {}", want: `1 f:2:6 /key: the value of project is "..", which a URL cannot carry`},
		{name: "name that is no string", input: "kind: project\nmetadata: {name: 1}", want: "1 f:2:18 /metadata/name: metadata.name is a number, not a string"},
		{name: "two names", input: "kind: project\nkey: {project: p}\ndata: {metadata: {name: q}}", want: `1 f:3:25 /data/metadata/name: the data names the project "q", but it is written as "p"`},
		{name: "force that is neither true nor false", input: "op: apply\nkind: project\nmetadata: {name: p}\nforce: [x]\nfieldManager: 1",
			want: "1 f:5:15 /fieldManager: fieldManager must be a string, not the number 1\n1 f:4:8 /force: force must be true or false, not a list"},
		{name: "unknown op", input: "op: upsert\nkind: project\nmetadata: {name: p}", want: "1 f:1:5 /op: op is not one of put, create, patch, apply, delete, status and action"},
		{name: "no action", input: "op: action\nid: project/p", want: "1 f:1:1: the manifest has no action"},
		{name: "a member beside the action", input: "op: action\nid: project/p\naction: approve\nbody: {}", want: `1 f:4:7 /body: the manifest has an unknown member "body"`},
		{name: "no data", input: "id: project/p", want: "1 f:1:1: the manifest has no data"},
		{name: "no status", input: "op: status\nid: project/p", want: "1 f:1:1: the manifest has no status"},
		{name: "data is a list", input: "id: project/p\ndata: []", want: "1 f:2:7 /data: data must be a map, not a list"},
		{name: "unknown member", input: "id: project/p\ndata: {}\nmetdata: {}", want: `1 f:3:10 /metdata: the manifest has an unknown member "metdata"`},
		{name: "bad version", input: "id: project/p\nifMatch: new\ndata: {}", want: "1 f:2:10 /ifMatch: ifMatch must be a version, a list of versions, or *"},
		{name: "cascade of a put", input: "id: project/p\ncascade: true\ndata: {}", want: "1 f:2:10 /cascade: only a deletion cascades"},
		{name: "cascade is text", input: "op: delete\nid: project/p\ncascade: 'yes'", want: "1 f:3:10 /cascade: cascade must be true or false, not a string"},
		{name: "no base64", input: "id: project/p/bundle/b\ndata: {}\ncontent: [{name: archive, data: '?'}]", want: "1 f:3:33 /content/0/data: the data of file 1 is not base64"},
		{name: "content is text", input: "id: project/p/bundle/b\ndata: {}\ncontent: x", want: "1 f:3:10 /content: content must be a list, not a string"},
		{name: "some files without data", input: "id: project/p/bundle/b\ndata: {}\ncontent: [{name: files}, {name: files, data: ''}]", want: "1 f:3:10 /content: some files have data and some have none"},
		{name: "everything at once", input: "- {kind: x, metadata: {name: p}}\n- {id: project/p, data: {}}\n- {kind: project, op: x, cascade: 1, data: {}, more: 1}",
			want: "1 f:1:10 /kind: there is no kind \"x\"\n3 f:3:23 /op: op is not one of put, create, patch, apply, delete, status and action\n3 f:3:54 /more: the manifest has an unknown member \"more\"\n" +
				"3 f:3:35 /cascade: cascade must be true or false, not the number 1\n3 f:3:3 /key: the key of the project lacks project"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values, err := yaml.Parse("", []byte(tt.input), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = manifest.Operations(kinds(t), "f", values)
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			e := dovetail.AsError(err)
			parts := e.Errors
			if len(parts) == 0 {
				parts = []*dovetail.Error{e}
			}
			var got []string
			for _, part := range parts {
				got = append(got, fmt.Sprintf("%d %s: %s", part.Index, part.Position, part.Message))
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}

func TestOperationsEndWithTheRequest(t *testing.T) {
	gone, calls := errors.New("gone"), 0
	values := make([]*value.Value, 2000)
	for i := range values {
		values[i] = value.NewMap()
	}
	operations, _, err := manifest.OperationsUntil(func() error {
		if calls++; calls > 3 {
			return gone
		}
		return nil
	}, kinds(t), "", values)
	if !errors.Is(err, gone) || operations != nil || calls != 4 {
		t.Errorf("%d operations, %v after %d calls", len(operations), err, calls)
	}
}

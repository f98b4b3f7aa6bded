package emcostore_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/emcostore"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// Resources and keys as EMCO's services have them.
type (
	metadata struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		UserData1   string `json:"userData1"`
		UserData2   string `json:"userData2"`
	}
	plain struct {
		MetaData metadata `json:"metadata" bson:"metadata"`
	}
	appProfile struct {
		Metadata metadata       `json:"metadata"`
		Spec     appProfileSpec `json:"spec"`
	}
	appProfileSpec struct {
		AppName string `json:"app"`
	}
	fileContent struct{ FileContent string }
	actionEntry struct {
		State     string    `json:"state"`
		ContextID string    `json:"instance" bson:"contextid"`
		TimeStamp time.Time `json:"time"`
		Revision  int64     `json:"revision"`
	}
	stateInfo struct {
		StatusContextID string        `json:"statusctxid"`
		Actions         []actionEntry `json:"actions"`
	}
	kubeconfig struct {
		Config string `json:"config"`
	}

	projectKey struct {
		Project string `json:"project"`
	}
	versionKey struct {
		Project string `json:"project"`
		App     string `json:"compositeApp"`
		Version string `json:"compositeAppVersion"`
	}
	appKey struct {
		App       string `json:"app"`
		Project   string `json:"project"`
		Composite string `json:"compositeApp"`
		Version   string `json:"compositeAppVersion"`
	}
	cloudKey struct {
		Project string `json:"project"`
		Cloud   string `json:"logicalCloud"`
	}
	profileKey struct {
		Project   string `json:"project"`
		Composite string `json:"compositeApp"`
		Version   string `json:"compositeAppVersion"`
		Profiles  string `json:"compositeProfile"`
		Profile   string `json:"appProfile"`
	}
	configKey struct {
		Provider  string `json:"cloudConfigClusterProvider"`
		Cluster   string `json:"cloudConfigCluster"`
		Level     string `json:"level"`
		Namespace string `json:"namespace"`
	}
)

func named(name string) plain { return plain{metadata{Name: name}} }

// step is one call of the interface, and what is expected of it.
type step struct {
	call  string // method
	coll  string // resources where empty
	key   Key
	query any
	tag   string
	data  any

	err  string   // how the error begins
	want []string // what Find gives, each as text that it has; "-" for nil
}

// TestInterface runs what EMCO's services rely on.
func TestInterface(t *testing.T) {
	created := stateInfo{Actions: []actionEntry{{State: "Created", TimeStamp: time.UnixMilli(1795306582411).UTC()}}}
	instantiated := stateInfo{StatusContextID: "42", Actions: append(created.Actions, actionEntry{State: "Instantiated", ContextID: "42", Revision: 1})}
	insert := func(key Key, tag string, data any) step { return step{call: "Insert", key: key, tag: tag, data: data} }
	tree := []step{
		insert(projectKey{"p"}, "data", named("p")),
		insert(versionKey{"p", "ca", "v1"}, "data", named("ca")),
		insert(appKey{"a", "p", "ca", "v1"}, "data", named("a")),
		insert(cloudKey{"p", "lc"}, "data", named("lc")),
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"insert without what is needed", []step{
			{call: "Insert", coll: "-", key: projectKey{"p"}, tag: "data", data: named("p"), err: emcostore.ErrInsert},
			{call: "Insert", key: nil, tag: "data", data: named("p"), err: emcostore.ErrInsert},
			{call: "Insert", key: projectKey{"p"}, tag: "", data: named("p"), err: emcostore.ErrInsert},
			{call: "Insert", key: projectKey{"p"}, tag: "data", data: nil, err: emcostore.ErrInsert},
			{call: "Insert", key: projectKey{""}, tag: "data", data: named("p"), err: emcostore.ErrInsert},
			{call: "Insert", key: 7, tag: "data", data: named("p"), err: emcostore.ErrInsert},
		}},
		{"insert without a parent", []step{{call: "Insert", key: cloudKey{"p", "lc"}, tag: "data", data: named("lc"), err: emcostore.ErrParent}}},
		{"insert of an unknown kind", []step{
			{call: "Insert", key: map[string]string{"thing": "x"}, tag: "data", data: named("x"), err: emcostore.ErrSchema},
			insert(map[string]string{"thing": "x"}, "other", kubeconfig{"y"}),
			{call: "Find", key: map[string]string{"thing": "x"}, tag: "other", want: []string{"y"}},
			{call: "Find", key: map[string]string{"thing": ""}, tag: "other", want: []string{"y"}},
			{call: "Find", key: map[string]string{"thing": "x"}, tag: "data", want: []string{"-"}},
			{call: "Remove", key: map[string]string{"thing": "x"}},
			{call: "Find", key: map[string]string{"thing": "x"}, tag: "other"},
		}},
		{"insert replaces one tag", append(tree[:3:3],
			insert(appKey{"a", "p", "ca", "v1"}, "appcontent", fileContent{"aGVsbG8="}),
			insert(appKey{"a", "p", "ca", "v1"}, "data", plain{metadata{Name: "a", UserData1: "changed"}}),
			step{call: "Find", key: appKey{"a", "p", "ca", "v1"}, tag: "appcontent", want: []string{"aGVsbG8="}},
			step{call: "Find", key: appKey{"a", "p", "ca", "v1"}, tag: "data", want: []string{"changed"}},
		)},
		{"a tag that is missing", append(tree[:3:3], step{call: "Find", key: appKey{"a", "p", "ca", "v1"}, tag: "appcontent", want: []string{"-"}})},
		{"find below a complete key", append(tree[:4:4],
			step{call: "Find", key: projectKey{"p"}, tag: "data", want: []string{`"p"`, `"ca"`, `"a"`, `"lc"`}},
			step{call: "Find", key: versionKey{"p", "ca", "v1"}, tag: "data", want: []string{`"ca"`, `"a"`}},
			step{call: "Find", key: map[string]string{"project": "p", "compositeApp": "ca"}, tag: "data", want: []string{`"ca"`, `"a"`}},
		)},
		{"find with wildcards", append(tree[:4:4],
			step{call: "Find", key: projectKey{}, tag: "data", want: []string{`"p"`}},
			step{call: "Find", key: versionKey{"p", "", ""}, tag: "data", want: []string{`"ca"`}},
			step{call: "Find", key: cloudKey{"", "lc"}, tag: "data", want: []string{`"lc"`}},
			step{call: "Find", key: cloudKey{"q", ""}, tag: "data"},
		)},
		{"find nothing", []step{
			{call: "Find", key: projectKey{"p"}, tag: "data"},
			{call: "Find", coll: "-", key: projectKey{"p"}, tag: "data", err: emcostore.ErrFind},
			{call: "Find", key: projectKey{"p"}, tag: "", err: emcostore.ErrFind},
		}},
		{"query of copied values", append(tree[:3:3],
			insert(map[string]string{"project": "p", "compositeApp": "ca", "compositeAppVersion": "v1", "compositeProfile": "cp"}, "data", named("cp")),
			step{call: "Insert", key: profileKey{"p", "ca", "v1", "cp", "ap"}, query: map[string]string{"app": "a"}, tag: "data", data: appProfile{metadata{Name: "ap"}, appProfileSpec{"a"}}},
			step{call: "Find", key: appKey{"a", "p", "ca", "v1"}, tag: "data", want: []string{`"a"`, `"ap"`}},
			step{call: "Find", key: map[string]string{"project": "p", "compositeApp": "ca", "compositeAppVersion": "v1", "compositeProfile": "cp", "app": "a"}, tag: "data", want: []string{`"ap"`}},
		)},
		{"query of the end of a chain", append(groupOf(tree),
			insert(chainKey{groupKey: group}, "data", named("c")),
			insertEnd("one", "left"), insertEnd("two", "right"),
			findEnd("left", `"one"`), findEnd("right", `"two"`), findEnd("middle"),
			insertEnd("one", "right"),
			findEnd("left"), findEnd("right", `"one"`, `"two"`),
		)},
		{"query of what the data says only later", append(groupOf(tree),
			insert(chainKey{groupKey: group}, "data", named("c")),
			step{call: "Insert", key: chainKey{groupKey: group, Selector: "one"}, query: map[string]string{"chainEnd": "left"}, tag: "data", data: selectorOf("one", "right")},
			findEnd("left", `"one"`),
			insertEnd("one", "right"),
			findEnd("left"), findEnd("right", `"one"`),
		)},
		{"query of other values", append(tree[:1:1],
			step{call: "Insert", key: cloudKey{"p", "lc"}, query: map[string]string{"color": "red"}, tag: "data", data: named("lc")},
			step{call: "Find", key: map[string]string{"project": "p", "color": "red"}, tag: "data", want: []string{`"lc"`}},
			step{call: "Find", key: map[string]string{"project": "p", "color": "blue"}, tag: "data"},
			step{call: "Find", key: projectKey{"p"}, tag: "data", want: []string{`"p"`, `"lc"`}},
		)},
		{"pointers to values that are empty", append(groupOf(tree),
			insert(hpaKey{Group: group, Intent: "i"}, "data", appProfile{metadata{Name: "i"}, appProfileSpec{"a"}}),
			insert(hpaKey{Group: group, Intent: "i", Consumer: "c"}, "data", named("c")),
			insert(hpaKey{Group: group, Intent: "i", Consumer: "c", Resource: "r"}, "data", requirement(new(bool), "label")),
			step{call: "Find", key: hpaKey{Group: group, Intent: "i", Consumer: "c", Resource: "r"}, tag: "data", want: []string{`"allocatable":false`}},
			step{call: "Insert", key: hpaKey{Group: group, Intent: "i", Consumer: "c", Resource: "s"}, tag: "data", data: requirement(nil, "label"), err: emcostore.ErrInsert},
		)},
		{"states", append(tree[:4:4],
			insert(cloudKey{"p", "lc"}, "stateInfo", created),
			insert(cloudKey{"p", "lc"}, "stateInfo", instantiated),
			step{call: "Find", key: cloudKey{"p", "lc"}, tag: "stateInfo", want: []string{"Instantiated"}},
			step{call: "Remove", key: cloudKey{"p", "lc"}, err: emcostore.ErrRemove},
		)},
		{"a state that no action leads to", append(tree[:4:4],
			step{call: "Insert", key: cloudKey{"p", "lc"}, tag: "stateInfo", data: stateInfo{Actions: []actionEntry{{State: "Melted"}}}, err: emcostore.ErrInsert},
		)},
		{"private keys beside a resource", append(tree[:4:4],
			insert(cloudKey{"p", "lc"}, "privatekey", kubeconfig{"secret"}),
			step{call: "Find", key: cloudKey{"p", "lc"}, tag: "privatekey", want: []string{"secret"}},
			step{call: "Find", key: cloudKey{"p", "lc"}, tag: "data", want: []string{`"lc"`}},
			step{call: "RemoveTag", key: cloudKey{"p", "lc"}, tag: "privatekey"},
			step{call: "Find", key: cloudKey{"p", "lc"}, tag: "privatekey", want: []string{"-"}},
			step{call: "Remove", key: cloudKey{"p", "lc"}},
			step{call: "Find", key: cloudKey{"p", "lc"}, tag: "data"},
		)},
		{"a tag before its resource", []step{
			insert(projectKey{"p"}, "note", kubeconfig{"early"}),
			{call: "Find", key: projectKey{"p"}, tag: "data", want: []string{"-"}},
			insert(projectKey{"p"}, "data", named("p")),
			{call: "Find", key: projectKey{"p"}, tag: "note", want: []string{"early"}},
			{call: "Find", key: projectKey{"p"}, tag: "data", want: []string{`"p"`}},
		}},
		{"kubeconfigs", []step{
			insert(configKey{"cp", "c", "0", "default"}, "config", kubeconfig{"YQ=="}),
			insert(configKey{"cp", "c", "1", "ns"}, "config", kubeconfig{"Yg=="}),
			{call: "Find", key: configKey{"cp", "c", "1", "ns"}, tag: "config", want: []string{"Yg=="}},
			{call: "Find", key: configKey{"cp", "c", "", ""}, tag: "config", want: []string{"YQ==", "Yg=="}},
			{call: "Remove", key: configKey{"cp", "c", "1", "ns"}},
			{call: "Find", key: configKey{"cp", "c", "", ""}, tag: "config", want: []string{"YQ=="}},
		}},
		{"the kubeconfig of a cluster", []step{
			insert(map[string]string{"clusterProvider": "cp"}, "data", named("cp")),
			insert(map[string]string{"clusterProvider": "cp", "cluster": "c"}, "data", named("c")),
			insert(configKey{"cp", "c", "0", "default"}, "config", kubeconfig{"YQ=="}),
			insert(configKey{"cp", "c", "1", "ns"}, "config", kubeconfig{"Yg=="}),
			{call: "Find", key: configKey{"cp", "c", "0", "default"}, tag: "config", want: []string{"YQ=="}},
			{call: "Find", key: configKey{"cp", "c", "", ""}, tag: "config", want: []string{"YQ==", "Yg=="}},
			{call: "Find", key: configKey{"cp", "c", "", "ns"}, tag: "config", want: []string{"Yg=="}},
			insert(configKey{"cp", "c", "0", "default"}, "config", kubeconfig{"encrypted?"}),
			{call: "Find", key: configKey{"cp", "c", "0", "default"}, tag: "config", want: []string{"encrypted?"}},
			insert(configKey{"cp", "c", "0", "default"}, "config", kubeconfig{"Yw=="}),
			{call: "Find", key: configKey{"cp", "c", "0", "default"}, tag: "config", want: []string{"Yw=="}},
			{call: "Remove", key: map[string]string{"clusterProvider": "cp", "cluster": "c"}},
			{call: "Find", key: configKey{"cp", "c", "0", "default"}, tag: "config", want: []string{"Yw=="}},
			{call: "Remove", key: configKey{"cp", "c", "0", "default"}},
			{call: "Find", key: configKey{"cp", "c", "0", "default"}, tag: "config"},
			insert(map[string]string{"clusterProvider": "cp", "cluster": "c"}, "data", named("c")),
			insert(configKey{"cp", "c", "0", "default"}, "config", kubeconfig{"ZA=="}),
			{call: "Remove", key: configKey{"cp", "c", "0", "default"}},
			{call: "Find", key: configKey{"cp", "c", "0", "default"}, tag: "config"},
			{call: "Find", key: map[string]string{"clusterProvider": "cp", "cluster": "c"}, tag: "data", want: []string{`"c"`}},
		}},
		{"remove", append(tree[:4:4],
			step{call: "Remove", key: projectKey{"p"}, err: emcostore.ErrChildren},
			step{call: "Remove", key: projectKey{"q"}, err: emcostore.ErrNotFound},
			step{call: "Remove", key: projectKey{""}, err: emcostore.ErrNotFound},
			step{call: "Remove", key: nil, err: emcostore.ErrRemove},
			step{call: "Remove", key: map[string]string{"project": "p", "compositeApp": "ca"}, err: emcostore.ErrChildren},
			step{call: "Remove", key: appKey{"a", "p", "ca", "v1"}},
			step{call: "Remove", key: appKey{"a", "p", "ca", "v1"}, err: emcostore.ErrNotFound},
			step{call: "Remove", key: versionKey{"p", "ca", "v1"}},
		)},
		{"remove all", append(tree[:4:4],
			step{call: "RemoveAll", key: versionKey{"p", "ca", "v1"}},
			step{call: "Find", key: projectKey{"p"}, tag: "data", want: []string{`"p"`, `"lc"`}},
			step{call: "RemoveAll", key: projectKey{""}, err: emcostore.ErrChildren},
			step{call: "RemoveAll", key: projectKey{"p"}},
			step{call: "RemoveAll", key: projectKey{"p"}},
			step{call: "Find", key: projectKey{""}, tag: "data"},
		)},
		{"remove a tag", append(tree[:3:3],
			insert(appKey{"a", "p", "ca", "v1"}, "appcontent", fileContent{"aGVsbG8="}),
			step{call: "RemoveTag", key: appKey{"a", "p", "ca", "v1"}, tag: "appcontent"},
			step{call: "Find", key: appKey{"a", "p", "ca", "v1"}, tag: "appcontent", want: []string{"-"}},
			step{call: "RemoveTag", key: appKey{"b", "p", "ca", "v1"}, tag: "appcontent"},
			step{call: "RemoveTag", key: appKey{"a", "p", "ca", "v1"}, tag: "data", err: "Error removing tag"},
		)},
		{"another collection", []step{
			{call: "Insert", coll: "notes", key: projectKey{"p"}, tag: "data", data: named("note")},
			{call: "Find", key: projectKey{"p"}, tag: "data"},
			{call: "Find", coll: "notes", key: projectKey{""}, tag: "data", want: []string{`"note"`}},
		}},
		{"a file that is not base64", append(tree[:3:3], step{call: "Insert", key: appKey{"a", "p", "ca", "v1"}, tag: "appcontent", data: fileContent{"?"}, err: emcostore.ErrInsert})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			each(t, store.Config{}, func(t *testing.T, s opened) {
				if err := s.HealthCheck(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i, step := range test.steps {
					step.run(t, s, i)
				}
			})
		})
	}
}

func (st step) run(t *testing.T, s Store, i int) {
	t.Helper()
	coll := resources
	switch st.coll {
	case "":
	case "-":
		coll = ""
	default:
		coll = st.coll
	}
	var found [][]byte
	var err error
	switch st.call {
	case "Insert":
		err = s.Insert(t.Context(), coll, st.key, st.query, st.tag, st.data)
	case "Find":
		found, err = s.Find(t.Context(), coll, st.key, st.tag)
	case "Remove":
		err = s.Remove(t.Context(), coll, st.key)
	case "RemoveAll":
		err = s.RemoveAll(t.Context(), coll, st.key)
	case "RemoveTag":
		err = s.RemoveTag(t.Context(), coll, st.key, st.tag)
	}
	if (err != nil) != (st.err != "") || err != nil && !strings.HasPrefix(err.Error(), st.err) {
		t.Fatalf("%d: %s %v %s: %v, want %q", i, st.call, st.key, st.tag, err, st.err)
	}
	if len(found) != len(st.want) {
		t.Fatalf("%d: Find %v %s gives %d documents, want %d: %q", i, st.key, st.tag, len(found), len(st.want), found)
	}
	for n, want := range st.want {
		if want == "-" && found[n] != nil || want != "-" && !strings.Contains(formOf(t, found[n]), want) {
			t.Errorf("%d: Find %v %s: document %d is %s, want %s", i, st.key, st.tag, n, formOf(t, found[n]), want)
		}
	}
}

// TestAlone finds resources without what is below them.
func TestAlone(t *testing.T) {
	s := open(t, apitest.OpenBolt(t), store.Config{})
	s.Store = newStoreWith(t, s.engine, s.engine.Model(), emcostore.Options{Alone: true})
	for i, step := range []step{
		{call: "Insert", key: projectKey{"p"}, tag: "data", data: named("p")},
		{call: "Insert", key: cloudKey{"p", "lc"}, tag: "data", data: named("lc")},
		{call: "Insert", key: cloudKey{"p", "lc"}, tag: "privatekey", data: kubeconfig{"secret"}},
		{call: "Find", key: projectKey{"p"}, tag: "data", want: []string{`"p"`}},
		{call: "Find", key: cloudKey{"p", "lc"}, tag: "privatekey", want: []string{"secret"}},
		{call: "Find", key: cloudKey{"p", ""}, tag: "data", want: []string{`"lc"`}},
		{call: "Find", key: map[string]string{"project": "p", "color": "red"}, tag: "data"},
		{call: "Find", key: projectKey{"q"}, tag: "data"},
		{call: "Remove", key: projectKey{"p"}, err: emcostore.ErrChildren},
	} {
		step.run(t, s, i)
	}
}

// TestConcurrentTags sets tags of one resource at the same time: none is lost.
func TestConcurrentTags(t *testing.T) {
	s := open(t, apitest.OpenBolt(t), store.Config{})
	key := cloudKey{"p", "lc"}
	for _, resource := range []Key{projectKey{"p"}, key} {
		if err := s.Insert(t.Context(), resources, resource, nil, "data", named("lc")); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for n := range 8 {
		for tag, data := range map[string]any{
			"stateInfo":             stateInfo{Actions: []actionEntry{{State: "Created"}}},
			"data":                  plain{metadata{Name: "lc", UserData1: strconv.Itoa(n)}},
			"tag" + strconv.Itoa(n): kubeconfig{strconv.Itoa(n)},
		} {
			all.Go(func() {
				if err := s.Insert(t.Context(), resources, key, nil, tag, data); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	for _, tag := range []string{"data", "stateInfo", "tag0", "tag1", "tag2", "tag3", "tag4", "tag5", "tag6", "tag7"} {
		if found, err := s.Find(t.Context(), resources, key, tag); err != nil || len(found) != 1 || found[0] == nil {
			t.Errorf("%s: %q, %v", tag, found, err)
		}
	}
}

// TestConcurrentRemove removes parents while children are inserted: no child is left without one.
func TestConcurrentRemove(t *testing.T) {
	s := open(t, apitest.OpenBolt(t), store.Config{})
	var all sync.WaitGroup
	for n := range 20 {
		project := projectKey{strconv.Itoa(n)}
		if err := s.Insert(t.Context(), resources, project, nil, "data", named(project.Project)); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			err := s.Insert(t.Context(), resources, cloudKey{project.Project, "lc"}, nil, "data", named("lc"))
			if err != nil && !strings.HasPrefix(err.Error(), emcostore.ErrParent) {
				t.Error(err)
			}
		})
		all.Go(func() {
			err := s.Remove(t.Context(), resources, project)
			if err != nil && !strings.HasPrefix(err.Error(), emcostore.ErrChildren) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	clouds, err := s.Find(t.Context(), resources, cloudKey{"", ""}, "data")
	if err != nil {
		t.Fatal(err)
	}
	projects, err := s.Find(t.Context(), resources, projectKey{""}, "data")
	if err != nil || len(projects) != len(clouds) {
		t.Errorf("%d projects with %d logical clouds, %v", len(projects), len(clouds), err)
	}
}

// TestUnmarshal decodes what Find gives into the structs that were inserted.
func TestUnmarshal(t *testing.T) {
	s := open(t, apitest.OpenBolt(t), store.Config{})
	want := plain{metadata{"p", "a project", "1", "2"}}
	if err := s.Insert(t.Context(), resources, projectKey{"p"}, nil, "data", &want); err != nil {
		t.Fatal(err)
	}
	found, err := s.Find(t.Context(), resources, projectKey{"p"}, "data")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	var got plain
	if err := s.Unmarshal(found[0], &got); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if err := s.Unmarshal([]byte("no BSON"), &got); err == nil {
		t.Error("what is no BSON was decoded")
	}
}

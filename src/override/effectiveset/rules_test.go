package effectiveset

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// base is the repository that the cases have in common.
func base(t testing.TB) (Input, fstest.MapFS) {
	t.Helper()
	read, err := yaml.Parse("cases.yaml", mustRead(t, "testdata/cases.yaml"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, m := range read[0].Get("base").Members {
		files[m.Name] = &fstest.MapFile{Data: []byte(m.Value.Text)}
	}
	sboms, err := files.Sub("sboms")
	if err != nil {
		t.Fatal(err)
	}
	return Input{Repo: files, SBOMs: sboms, Cluster: "c1", Name: "e1", Session: "s"}, files
}

const (
	namespaceFile   = "environments/c1/e1/Namespaces/core/namespace.yml"
	credentialsFile = "environments/c1/e1/Credentials/credentials.yml"
	cloudFile       = "environments/c1/e1/cloud.yml"
)

// withParameters is a namespace with parameters of the deployment context, a line each.
func withParameters(lines ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("name: e1-core\ndeployParameters:\n  " + strings.Join(lines, "\n  ") + "\n")}
}

// TestRules has rules that the cases do not show.
func TestRules(t *testing.T) {
	for _, tt := range []struct {
		name       string
		parameters []string
		want       string // a line of the plain file
		secret     string // a line of the credentials
		fails      string // a part of the error
	}{
		{name: "two dollars are a text", parameters: []string{"A: a$$b"}, want: "A: a$$b"},
		{name: "a dollar at the end is a text", parameters: []string{"A: 'a$'"}, want: "A: a$"},
		{name: "a dollar before a digit is an error", parameters: []string{"A: cost $5"}, fails: `write \$`},
		{name: "a member without braces is an error", parameters: []string{"M: {k: v}", "A: $M.k"}, fails: "write it as ${M.k}"},
		{name: "an expression is not calculated", parameters: []string{"A: \"${B ?: 'x'}\""}, fails: "not calculated here"},
		{name: "a macro without an end", parameters: []string{"A: ${B"}, fails: "has no end"},
		{name: "a parameter that refers to itself", parameters: []string{"A: ${A}-x"}, fails: "refers to itself"},
		{name: "an unknown name has a suggestion", parameters: []string{"HOST_NAME: x", "A: ${HOST_NAM}"}, fails: "did you mean HOST_NAME?"},
		{name: "an unknown field", parameters: []string{`A: ${creds.get("up").secret}`}, fails: "has no field secret"},
		{name: "a macro of templates", parameters: []string{`A: ${envgen.creds.get("up").username}`}, fails: "macro of templates"},
		{name: "a map in a text", parameters: []string{"M: {k: [1, x]}", "A: is ${M}"}, want: "A: is {k=[1, x]}"},
		{name: "a secret in a map that is a text", parameters: []string{`M: {k: '${creds.get("sec").secret}'}`, "A: is ${M}"}, secret: "A: is {k=s3}"},
		{name: "a decimal", parameters: []string{"A: 1000.0", "B: 1.0e10"}, want: "A: 1000.0"},
		{name: "an octal integer", parameters: []string{"A: 010"}, want: "A: 8"},
		{name: "words are booleans", parameters: []string{"A: yes"}, want: "A: true"},
		{name: "words in quotes are texts", parameters: []string{"A: 'yes'"}, want: "A: 'yes'"},
		{name: "an empty list in a list stays", parameters: []string{"A: [[], x]"}, want: "- []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, files := base(t)
			files[namespaceFile] = withParameters(tt.parameters...)
			set, err := Calculate(in)
			if tt.fails != "" {
				if err == nil || !strings.Contains(fmt.Sprintf("%+v", allOf(err)), tt.fails) || !strings.Contains(fmt.Sprintf("%+v", allOf(err)), namespaceFile+":") {
					t.Errorf("%v, want an error with %q and its place", allOf(err), tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			plain, secret := string(set.Files["deployment/core/app-a/values/deployment-parameters.yaml"]), string(set.Files["deployment/core/app-a/values/credentials.yaml"])
			if !strings.Contains(plain, tt.want+"\n") || !strings.Contains(secret, tt.secret+"\n") {
				t.Errorf("there is no line %q, or no %q in\n%s\n%s", tt.want, tt.secret, plain, secret)
			}
		})
	}
}

// TestNamesLeadNowhere has names of a hostile repository or SBOM that would be paths out of the set.
func TestNamesLeadNowhere(t *testing.T) {
	const sbomFile, sdFile = "sboms/app-a/app-a-1.0.sbom.json", "environments/c1/e1/Inventory/solution-descriptor/sd.yaml"
	for _, tt := range []struct{ name, file, from, to, says string }{
		{name: "a service", file: sbomFile, from: `"name": "svc-a",`, to: `"name": "../../../../../evil",`, says: `the service "../../../../../evil" cannot have files`},
		{name: "a service of backslashes", file: sbomFile, from: `"name": "svc-a",`, to: `"name": "..\\..\\evil",`, says: "cannot have files"},
		{name: "a service without a name", file: sbomFile, from: `"name": "svc-a",`, to: `"name": "",`, says: `the service "" cannot have files`},
		{name: "a chart", file: sbomFile, from: `"components": [
  {`, to: `"components": [
  {"mime-type": "application/vnd.qubership.app.chart", "name": "../../../../../evil"},
  {`, says: `the chart "../../../../../evil" cannot have files`},
		{name: "an application", file: sdFile, from: "app-a:1.0", to: "../../evil:1.0", says: `the application "../../evil" cannot have files`},
		{name: "dots", file: sdFile, from: "app-a:1.0", to: "..:1.0", says: `the application ".." cannot have files`},
		{name: "no SBOM", file: sbomFile, from: string(baseFile(t, sbomFile)), to: "[]", says: "it is no SBOM of an application"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, files := base(t)
			text := strings.Replace(string(files[tt.file].Data), tt.from, tt.to, 1)
			if text == string(files[tt.file].Data) {
				t.Fatal("nothing was replaced")
			}
			files[tt.file] = &fstest.MapFile{Data: []byte(text)}
			set, err := Calculate(in)
			if err == nil || !strings.Contains(everythingOf(err), tt.says) || !strings.Contains(everythingOf(err), path.Base(tt.file)) {
				t.Errorf("%v, want an error with %q", allOf(err), tt.says)
			}
			if set == nil {
				return
			}
			for name := range set.Files {
				if strings.Contains(name, "evil") {
					t.Errorf("the set has %s", name)
				}
			}
		})
	}
}

// baseFile is one of the files that the cases have in common.
func baseFile(t *testing.T, name string) []byte {
	t.Helper()
	_, files := base(t)
	return files[name].Data
}

// TestToldOnce has files that cannot be read, each an error of its own, whatever looks at them.
func TestToldOnce(t *testing.T) {
	in, files := base(t)
	files[namespaceFile] = &fstest.MapFile{Data: []byte("name: [\n")}
	files["environments/c1/e2/Namespaces/other/namespace.yml"] = &fstest.MapFile{Data: []byte("name: [\n")}
	_, err := Calculate(in)
	var told []string
	for _, part := range dovetail.AsError(err).Errors {
		told = append(told, part.Position.File)
	}
	slices.Sort(told)
	if want := []string{namespaceFile, "environments/c1/e2/Namespaces/other/namespace.yml"}; !slices.Equal(told, want) {
		t.Errorf("errors are about %v, want %v", told, want)
	}
}

// TestAmbiguousKeys has keys that YAML 1.1 reads as booleans. The letters y and n are none: cases have them, as they are.
func TestAmbiguousKeys(t *testing.T) {
	in, files := base(t)
	files[namespaceFile] = withParameters("A: {y: 1, n: 2, yes: 3}", "B: [{Off: 4}]")
	set, err := Calculate(in)
	if err != nil {
		t.Fatal(allOf(err))
	}
	var found []string
	for _, f := range set.Findings {
		if f.Reason == AmbiguousKey {
			found = append(found, f.Position.String()+" "+f.Message)
		}
	}
	if len(found) != 2 || !strings.HasPrefix(found[0], namespaceFile+":3:19 the key yes below A") || !strings.HasPrefix(found[1], namespaceFile+":4:8 the key Off below B") {
		t.Errorf("%q", found)
	}
}

// TestDollarsOfCredentials has a password with what looks like macros, at each way to get at it.
func TestDollarsOfCredentials(t *testing.T) {
	const password = "p$a${B}$$c"
	in, files := base(t)
	files[credentialsFile] = &fstest.MapFile{Data: []byte("up: {type: usernamePassword, data: {username: u, password: 'p$a${B}$$c'}}\n")}
	cloud := strings.Replace(string(files[cloudFile].Data), "credentialsId: ''\n  enable: false\n  maasUrl", "credentialsId: up\n  enable: true\n  maasUrl", 1)
	files[cloudFile] = &fstest.MapFile{Data: []byte(cloud)}
	files[namespaceFile] = withParameters(`A: ${creds.get("up").password}`, "B: ${A}", "C: x${A}", "'#creds{D, E}': up")
	set, err := Calculate(in)
	if err != nil {
		t.Fatal(allOf(err))
	}
	got := string(set.Files["deployment/core/app-a/values/credentials.yaml"])
	for _, line := range []string{"A: ", "B: ", "C: x", "E: ", "MAAS_CREDENTIALS_PASSWORD: "} {
		if !strings.Contains(got, "\n"+line+password+"\n") && !strings.HasPrefix(got, line+password+"\n") {
			t.Errorf("there is no %s%s in\n%s", line, password, got)
		}
	}
}

// TestDeterministic calculates several times, from files that come in any order.
func TestDeterministic(t *testing.T) {
	in, _ := base(t)
	first, err := Calculate(in)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := Calculate(in)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(first.Files, again.Files, func(a, b []byte) bool { return string(a) == string(b) }) || fmt.Sprint(first.Findings) != fmt.Sprint(again.Findings) {
			t.Fatal("the same repository gives another set")
		}
	}
}

// TestAllErrors finds the errors of several applications at once, and calculates what it can.
func TestAllErrors(t *testing.T) {
	in, files := base(t)
	files["environments/c1/e1/Inventory/solution-descriptor/sd.yaml"] = &fstest.MapFile{Data: []byte("applications:\n- {version: 'app-a:1.0', deployPostfix: core}\n- {version: 'app-b:1', deployPostfix: core}\n- {version: 'app-a:1.0', deployPostfix: nowhere}\n")}
	set, err := Calculate(in)
	text := fmt.Sprint(allOf(err))
	if !strings.Contains(text, "app-b has no SBOM") || !strings.Contains(text, `"nowhere"`) {
		t.Errorf("the errors are %s", text)
	}
	if set == nil || len(set.Files["deployment/mapping.yaml"]) == 0 {
		t.Error("what could be calculated was not")
	}
}

// TestChartFolder names folders of charts.
func TestChartFolder(t *testing.T) {
	for _, tt := range []struct{ name, ns, want string }{
		{"My_Chart", "core", "my-chart-40"},
		{"my_chart", "core", "my-chart"},
		{"chart", strings.Repeat("n", 58), "cha"},
	} {
		if got := chartFolder(tt.name, tt.ns); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// BenchmarkApplications calculates an environment of 50 applications.
func BenchmarkApplications(b *testing.B) {
	in, files := base(b)
	var sd strings.Builder
	sd.WriteString("applications:\n")
	for i := range 50 {
		fmt.Fprintf(&sd, "- {version: 'app-%d:1.0', deployPostfix: core}\n", i)
		files[fmt.Sprintf("sboms/app-%d/app-%d-1.0.sbom.json", i, i)] = files["sboms/app-a/app-a-1.0.sbom.json"]
	}
	files["environments/c1/e1/Inventory/solution-descriptor/sd.yaml"] = &fstest.MapFile{Data: []byte(sd.String())}
	for b.Loop() {
		if _, err := Calculate(in); err != nil {
			b.Fatal(err)
		}
	}
}

// allOf is an error with all its parts and their places.
func allOf(err error) []string {
	if err == nil {
		return nil
	}
	e := dovetail.AsError(err)
	var texts []string
	for _, part := range append([]*dovetail.Error{e}, e.Errors...) {
		texts = append(texts, part.Position.String()+": "+part.Message+" ("+part.Remedy+")")
	}
	return texts
}

// TestMacrosThatMakeTooMuch: a few parameters that refer to each other many times end with an error, which says where, and take no more memory than there is for them.
func TestMacrosThatMakeTooMuch(t *testing.T) {
	tenTimes := func(name string, first, line func(i int) string) []string {
		lines := []string{first(0)}
		for i := 1; i < 10; i++ {
			lines = append(lines, line(i))
		}
		return lines
	}
	members := func(i int, of string) string {
		var all []string
		for k := range 10 {
			all = append(all, fmt.Sprintf("k%d: '${%s}'", k, of))
		}
		return fmt.Sprintf("P%d: {%s}", i, strings.Join(all, ", "))
	}
	for _, test := range []struct {
		name  string
		lines []string
		says  string
	}{
		{name: "texts", says: "more than 256 MiB of text", lines: tenTimes("texts", func(int) string { return "P0: xxxxxxxxxx" }, func(i int) string {
			return fmt.Sprintf("P%d: '%s'", i, strings.Repeat(fmt.Sprintf("${P%d}", i-1), 10))
		})},
		{name: "maps", says: "more than 4000000 values", lines: tenTimes("maps", func(int) string { return "P0: {a: x}" }, func(i int) string { return members(i, fmt.Sprintf("P%d", i-1)) })},
		{name: "failures", says: "there is no parameter NOTHING", lines: tenTimes("failures", func(int) string { return "P0: '${NOTHING}'" }, func(i int) string { return members(i, fmt.Sprintf("P%d", i-1)) })},
		{name: "circles", says: "the parameter refers to itself", lines: tenTimes("circles", func(int) string { return "P0: '${P9}'" }, func(i int) string { return members(i, fmt.Sprintf("P%d", i-1)) })},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, files := base(t)
			files[namespaceFile] = withParameters(test.lines...)
			_, err := Calculate(in)
			if err == nil || !strings.Contains(everythingOf(err), test.says) || !strings.Contains(everythingOf(err), namespaceFile) {
				t.Errorf("%.2000v", err)
			}
		})
	}
}

// everythingOf is an error with its parts.
func everythingOf(err error) string {
	text := err.Error()
	e := dovetail.AsError(err)
	text += e.Position.String()
	for _, part := range e.Errors {
		text += "\n" + everythingOf(part)
	}
	return text
}

// TestLongMacrosAreCut shows not all of a macro that is a megabyte.
func TestLongMacrosAreCut(t *testing.T) {
	in, files := base(t)
	files[namespaceFile] = withParameters("A: '"+strings.Repeat("${", 500_000)+"'", "B: '${"+strings.Repeat("x", 500_000)+"}'", "C: \"${creds.get('"+strings.Repeat("y", 500_000)+"').password}\"")
	_, err := Calculate(in)
	if text := everythingOf(err); len(text) > 10_000 || !strings.Contains(text, "has no end") || !strings.Contains(text, "there is no parameter xxx") || !strings.Contains(text, "there is no credential yyy") {
		t.Errorf("%d bytes: %.3000s", len(text), text)
	}
}

// TestMissingOnce: what many macros refer to and is not there is one error with the number of places, and hides no others.
func TestMissingOnce(t *testing.T) {
	t.Parallel()
	in, files := realRepository(t, monitoring+postgres)
	const name = pl01 + "Namespaces/pg/namespace.yml"
	var added strings.Builder
	for i := range 150 {
		fmt.Fprintf(&added, "  A_%d: 'at ${NOWHERE}'\n  B_%d: ${creds.get('unknown').password}\n", i, i)
	}
	added.WriteString("  C: ${NOTHING}\n  D: ${NOTHING}\n  E: ${ELSE}\n")
	files[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(files[name].Data), "deployParameters:\n", "deployParameters:\n"+added.String(), 1))}
	_, err := Calculate(in)
	var got []string
	for _, part := range dovetail.AsError(err).Errors {
		got = append(got, fmt.Sprintf("%s:%d %s", path.Base(part.Position.File), part.Position.Line, part.Message))
	}
	slices.Sort(got)
	want := []string{"there is no credential unknown, to which 150 places refer", "there is no parameter ELSE", "there is no parameter NOTHING, to which 2 places refer", "there is no parameter NOWHERE, to which 150 places refer"}
	for _, message := range want {
		if i := slices.IndexFunc(got, func(text string) bool { return strings.HasSuffix(text, message) }); i < 0 {
			t.Errorf("%q is not told", message)
		} else {
			got = slices.Delete(got, i, i+1)
		}
	}
	if len(got) > 0 || dovetail.AsError(err).Omitted() > 0 {
		t.Errorf("there are also %q, and %d others", got, dovetail.AsError(err).Omitted())
	}
}

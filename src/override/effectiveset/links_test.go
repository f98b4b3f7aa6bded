package effectiveset

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestLinks: symbolic links are followed, and named; those that lead out of the repository or nowhere are errors, also where a file is not needed.
func TestLinks(t *testing.T) {
	const apart = "shared/apart"
	for _, tt := range []struct {
		name, from, to string
		found, fails   string // position and a part of the message
		elsewhere      string // what the topology has beside
	}{
		{name: "a file", from: cloudFile, to: "../../../" + apart, found: cloudFile + ": it is a symbolic link to ../../../" + apart},
		{name: "a folder", from: envFolder + "Namespaces/core", to: "../../../../" + apart, found: envFolder + "Namespaces/core: it is a symbolic link"},
		{name: "a folder that is known by its name", from: envFolder + "Credentials", to: "../../../" + apart, found: envFolder + "Credentials: it is a symbolic link"},
		{name: "configuration", from: "configuration", to: apart, found: "configuration: it is a symbolic link"},
		{name: "another environment", from: "environments/c1/e2", to: "e1", found: "environments/c1/e2: it is a symbolic link to e1", elsewhere: "c1/e2:"},
		{name: "a link that nothing reads", from: envFolder + "Namespaces/README", to: "core/namespace.yml"},
		{name: "a file that is not needed, to nowhere", from: envFolder + "bg_domain.yml", to: "nowhere", fails: envFolder + "bg_domain.yml: it is a symbolic link to nowhere, which does not exist"},
		{name: "a second file to nowhere", from: envFolder + "cloud.yaml", to: "nowhere", fails: envFolder + "cloud.yaml: it is a symbolic link to nowhere, which does not exist"},
		{name: "a folder to nowhere", from: envFolder + "Profiles", to: "nowhere", fails: envFolder + "Profiles: it is a symbolic link to nowhere"},
		{name: "another environment to nowhere", from: "environments/c1/e2", to: "nowhere", fails: "environments/c1/e2: it is a symbolic link to nowhere"},
		{name: "out of the repository", from: envFolder + "Profiles", to: "../../../../out", fails: envFolder + "Profiles: it is a symbolic link to ../../../../out, which is not in the repository"},
		{name: "an absolute path", from: envFolder + "Applications", to: "/etc", fails: envFolder + "Applications: it is a symbolic link to /etc, which is not in the repository"},
		{name: "to itself", from: envFolder + "bg_domain.yml", to: "bg_domain.yml", fails: envFolder + "bg_domain.yml: it is a symbolic link to bg_domain.yml, that cannot be followed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, files := base(t)
			alone, err := Calculate(in)
			if err != nil {
				t.Fatal(err)
			}
			for name, file := range files {
				if rest, below := strings.CutPrefix(name, tt.from); below && (rest == "" || rest[0] == '/') {
					delete(files, name)
					files[apart+rest] = file
				}
			}
			files[tt.from] = linkTo(tt.to)
			in.Repo = onDisk(t, files)
			set, err := Calculate(in)
			if tt.fails != "" {
				if err == nil || !strings.Contains(everythingOf(err), tt.fails) {
					t.Fatalf("the error is %v", everythingOf(err))
				}
				return
			}
			if err != nil {
				t.Fatal(everythingOf(err))
			}
			var found []string
			for _, f := range set.Findings {
				if f.Reason == FileLinked {
					found = append(found, f.Position.String()+": "+f.Message)
				}
			}
			if (len(found) != 1 || !strings.HasPrefix(found[0], tt.found)) && len(found)+len(tt.found) > 0 {
				t.Errorf("found %q, want %q", found, tt.found)
			}
			if topology := set.Files["topology/parameters.yaml"]; !bytes.Contains(topology, []byte(tt.elsewhere)) {
				t.Errorf("the topology is\n%s", topology)
			}
			for name, text := range alone.Files {
				if !bytes.Equal(set.Files[name], text) && (tt.elsewhere == "" || !bytes.Contains(set.Files[name], []byte(tt.elsewhere))) {
					t.Errorf("%s is\n%s\nwant\n%s", name, set.Files[name], text)
				}
			}
		})
	}
}

// TestLinkedSBOM: a link among SBOMs is named, too.
func TestLinkedSBOM(t *testing.T) {
	in, files := base(t)
	const name = "app-a/app-a-1.0.sbom.json"
	sboms := fstest.MapFS{"apart": files["sboms/"+name], name: linkTo("../apart")}
	in.SBOMs = onDisk(t, sboms)
	set, err := Calculate(in)
	if err != nil || !slices.ContainsFunc(set.Findings, func(f Finding) bool { return f.Reason == FileLinked && f.Position.File == name }) {
		t.Errorf("%v, %v", set, err)
	}
	sboms[name] = linkTo("../../apart")
	in.SBOMs = onDisk(t, sboms)
	if _, err := Calculate(in); err == nil || !strings.Contains(everythingOf(err), name+": it is a symbolic link to ../../apart, which is not in the repository") {
		t.Error(everythingOf(err))
	}
}

// TestNamesOfOtherEncodings: a folder whose name is not UTF-8 cannot be read by its name, and is an error that says so.
func TestNamesOfOtherEncodings(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"a namespace", envFolder + "Namespaces/caf\xe9/namespace.yml", "Namespaces/caf\xe9/namespace.yml: it cannot be read: its name is not UTF-8"},
		{"another environment", "environments/c1/caf\xe9/Namespaces/x/namespace.yml", "environments/c1/caf\xe9/Namespaces: it cannot be read: its name is not UTF-8"},
		{"a file that nothing reads", envFolder + "Namespaces/core/Applications/caf\xe9.yml", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, files := base(t)
			files[tt.file] = &fstest.MapFile{Data: []byte("name: x\n")}
			in.Repo = onDisk(t, files)
			if _, err := Calculate(in); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(everythingOf(err), tt.want) {
				t.Errorf("%v", allOf(err))
			}
		})
	}
}

func linkTo(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

// onDisk writes files and links into a folder, and returns it without what is outside.
func onDisk(t *testing.T, files fstest.MapFS) fs.FS {
	t.Helper()
	dir := t.TempDir()
	for name, file := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o750); err != nil {
			t.Fatal(err)
		}
		var err error
		if file.Mode&fs.ModeSymlink != 0 {
			err = os.Symlink(string(file.Data), full)
		} else {
			err = os.WriteFile(full, file.Data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	return root.FS()
}

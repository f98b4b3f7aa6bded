package effectiveset

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/value"
)

// awkward are what stands in the place of values and names.
var awkward = []string{"", "''", "~", "{}", "[]", "[{}]", "on", "'on'", "0o7", "017", "1e3", "1.", "-0", "2147483648", "123456789012345678901234567890", "2024-01-02", "12:30:45", "!!str 1", "' x '", "\"a\\tb\\r\"", "\"a\\nb \\n\"",
	"'${NAMESPACE}'", "'${tenant.cloud.CLOUDNAME}'", "'$NAMESPACE-$$'", "'\\$x'", "'${NOTHING}'", "'${A'", "\"${creds.get('a').secret}\"", "{k: '${NAMESPACE}', l: []}", "[1, [], {}]", "\"'{\\\"a\\\": 1}'\"",
	"{$type: credRef, credId: a}", "żółć", "'" + strings.Repeat("long words ", 12) + "'", "{yes: 1}", "postgres", "../x", "&a [*a]", "*a", "!x y", "{", "\t", "\x00", "\xff", "|\n      two\n      lines"}

// mutated is a text with a line that is removed, duplicated, cut, or has another name or value.
func mutated(r *rapid.T, text string) string {
	lines := strings.SplitAfter(text, "\n")
	at := rapid.IntRange(0, len(lines)-1).Draw(r, "line")
	line := lines[at]
	instead := rapid.SampledFrom(awkward).Draw(r, "awkward")
	switch rapid.IntRange(0, 5).Draw(r, "mutation") {
	case 0:
		lines[at] = ""
	case 1:
		lines[at] += line
	case 2:
		name, _, found := strings.Cut(line, ":")
		if !found {
			name = line
		}
		lines[at] = strings.TrimSuffix(name, "\n") + ": " + instead + "\n"
	case 3:
		_, rest, _ := strings.Cut(line, ":")
		lines[at] = line[:len(line)-len(strings.TrimLeft(line, " -"))] + instead + ":" + rest
	case 4:
		lines[at] = line[:rapid.IntRange(0, len(line)).Draw(r, "cut")]
	case 5:
		lines[at] = strings.ReplaceAll(line, "\n", "\r\n")
	}
	return strings.Join(lines, "")
}

// TestMutations calculates variants of the real repository and of the cases, with lines and whole files changed. Whatever they say, the calculation ends with a set or with errors that have their
// places; what it writes is read back as what it means; it does not depend on the order of files; and all of it can be explained.
func TestMutations(t *testing.T) {
	rounds.Checks(t, 150, 5000)
	all := inputs(t)
	names := slices.Sorted(maps.Keys(all))
	files := make(map[string]fstest.MapFS)
	for name, in := range all {
		files[name] = inMemory(t, in.Repo)
	}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom(append(names, slices.Repeat([]string{"pl-01"}, 20)...)).Draw(r, "case")
		in, repo := all[name], maps.Clone(files[name])
		paths := slices.Sorted(maps.Keys(repo))
		for range rapid.IntRange(1, 4).Draw(r, "mutations") {
			file := rapid.SampledFrom(paths).Draw(r, "file")
			switch rapid.IntRange(0, 9).Draw(r, "how") {
			case 0:
				delete(repo, file)
			case 1:
				repo[path.Join(path.Dir(file), rapid.SampledFrom([]string{"namespace.yml", "other.yaml", "readme.txt"}).Draw(r, "name"))] = &fstest.MapFile{Data: files[name][file].Data}
			case 2:
				repo[file] = &fstest.MapFile{}
			default:
				if was := repo[file]; was != nil {
					repo[file] = &fstest.MapFile{Data: []byte(mutated(r, string(was.Data)))}
				}
			}
		}
		in.Repo, in.Origins = repo, true
		if in.SBOMs != nil {
			if sboms, err := repo.Sub("sboms"); err == nil {
				in.SBOMs = sboms
			}
		}
		set, err := Calculate(in)
		checkPlaces(r, err)
		if set == nil {
			if err == nil {
				r.Fatal("neither a set nor an error")
			}
			return
		}
		other := in
		other.Repo = shuffled{repo, r}
		again, otherErr := Calculate(other)
		if again == nil || fmt.Sprint(allOf(err)) != fmt.Sprint(allOf(otherErr)) || !slices.Equal(set.Findings, again.Findings) {
			r.Fatalf("in another order of files: %v, and not %v", otherErr, err)
		}
		other.Repo, other.Values = repo, true
		values, _ := Calculate(other)
		for file, text := range set.Files {
			if string(again.Files[file]) != string(text) {
				r.Errorf("in another order of files %s is another", file)
			}
			checkFile(r, set, values, file)
		}
	})
}

// checkPlaces sees that errors say what is wrong, and in which file.
func checkPlaces(r *rapid.T, err error) {
	e := dovetail.AsError(err)
	if e == nil {
		return
	}
	if len(e.Errors) == 0 && (e.Position.File == "" || e.Message == "" || e.Code == dovetail.CodeInternal) {
		r.Errorf("the error %q has no place, or no message: %+v", e.Message, e.Position)
	}
	for _, part := range e.Errors {
		checkPlaces(r, part)
	}
}

// checkFile sees that a file of a set is where sets have files, is read as the values that were calculated, and can be explained.
func checkFile(r *rapid.T, set, values *Set, file string) {
	text := set.Files[file]
	if path.Clean(file) != file || !slices.Contains([]string{"topology", "pipeline", "deployment", "runtime", "cleanup", "external-credential"}, strings.Split(file, "/")[0]) {
		r.Errorf("the set has a file %s", file)
	}
	read, err := yaml.ParseClassic(file, text, value.Limits{})
	if err != nil {
		r.Fatalf("%s cannot be read: %v\n%s", file, err, text)
	}
	content := value.NewMap()
	if len(read) == 1 {
		content = read[0]
	}
	want, err := values.Content(file)
	if err != nil {
		r.Fatal(err)
	}
	if !value.Equal(content, want) {
		r.Errorf("%s is read as %s, and calculated is %s", file, content.JSON(), want.JSON())
	}
	if _, err := set.Explanations(file, true); err != nil {
		r.Errorf("%s cannot be explained: %v", file, err)
	}
}

// inMemory are files in memory.
func inMemory(t *testing.T, from fs.FS) fstest.MapFS {
	t.Helper()
	if files, is := from.(fstest.MapFS); is {
		return files
	}
	files := fstest.MapFS{}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

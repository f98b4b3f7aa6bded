package contexts

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // "line:column message; remedy" of each error
	}{
		{name: "empty"},
		{name: "null", text: "# nothing\n"},
		{name: "full", text: "current: a\ncontexts:\n- {name: a, server: https://h:1/p, token: t, certificateAuthority: c, changeSet: s}\n- {name: b, server: http://h, tokenFile: f}\n"},
		{name: "a list", text: "- a", want: []string{"1:1 the file must be a map, not a list; write members as name: value"}},
		{name: "two documents", text: "contexts: []\n---\ncontexts: []\n", want: []string{"3:1 the file of contexts has one document; put all contexts into one"}},
		{name: "no name", text: "contexts: [{server: http://a}]", want: []string{"1:12 name is missing; add it"}},
		{name: "empty name", text: "contexts: [{name: '', server: http://a}]", want: []string{"1:19 name is empty; write a text"}},
		{name: "null change set", text: "contexts: [{name: a, server: http://a, changeSet: }]", want: []string{"1:51 changeSet must be a string, not null; write a text"}},
		{name: "a flag as name", text: "contexts: [{name: --x, server: http://a}]", want: []string{`1:19 the name is "--x"; use letters, digits and any of . _ - + @ : /, beginning with a letter or a digit`}},
		{name: "no scheme", text: "contexts: [{name: a, server: 'a:80'}]", want: []string{"1:30 the server is no URL of http or https; write it as https://dovetail.example.org"}},
		{name: "a query", text: "contexts: [{name: a, server: 'http://a?b'}]", want: []string{"1:30 the server is no URL of http or https; write it as https://dovetail.example.org"}},
		{name: "a login", text: "contexts: [{name: a, server: http://a, issuer: https://i/realms/r, clientId: c, scope: a b}]"},
		{name: "an issuer that is no URL", text: "contexts: [{name: a, server: http://a, issuer: i}]", want: []string{"1:48 the issuer is no URL of http or https; write it as https://login.example.org"}},
		{name: "a token and an issuer", text: "contexts: [{name: a, server: http://a, token: t, issuer: 'https://i'}]",
			want: []string{"1:58 there are both a token and an issuer to log in at; leave out one of them"}},
		{name: "a client of no issuer", text: "contexts: [{name: a, server: http://a, clientId: c, scope: s}]",
			want: []string{"1:50 there is a clientId, but no issuer to log in at; add the issuer, or leave it out", "1:60 there is a scope, but no issuer to log in at; add the issuer, or leave it out"}},
		{name: "duplicate", text: "contexts: [{name: a, server: http://a}, {name: a, server: http://b}]", want: []string{`1:48 duplicate context "a"; give one of them another name`}},
		{name: "misspelt", text: "contexts: [{name: a, server: http://a, tokenfile: t}]",
			want: []string{`1:40 a context has the unknown member "tokenfile"; did you mean tokenFile?`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := Parse("contexts.yaml", []byte(test.text))
			var got []string
			var errs dovetail.Errors
			errs.Join(err)
			for _, e := range errs.Kept() {
				got = append(got, strings.TrimPrefix(e.Position.String(), "contexts.yaml:")+" "+e.Message+"; "+e.Remedy)
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if err == nil && string(f.Text()) != test.text {
				t.Errorf("an unedited file is written as %q", f.Text())
			}
		})
	}
}

func TestEdit(t *testing.T) {
	const text = `# Where we deploy.
current: prod
contexts:
  - name: prod # ask first
    server: https://prod
    tokenFile: prod.token
  # The playground.
  - name: test
    server: http://test
    token: hunter2
`
	tests := []struct {
		name string
		edit func(*File)
		want func(string) string
	}{
		{"use", func(f *File) { f.Use("test") }, replaced("current: prod", "current: test")},
		{"change", func(f *File) { f.Set(Context{Name: "prod", Server: "https://prod", Token: "t"}) }, replaced("tokenFile: prod.token", "token: t")},
		{"the same", func(f *File) { f.Set(f.Contexts[1]) }, replaced("", "")},
		{"add", func(f *File) { f.Set(Context{Name: "new", Server: "http://new", ChangeSet: "c"}) },
			func(s string) string { return s + "  - name: new\n    server: http://new\n    changeSet: c\n" }},
		{"delete", func(f *File) { f.Delete("test") }, replaced("  # The playground.\n  - name: test\n    server: http://test\n    token: hunter2\n", "")},
		{"delete the current one", func(f *File) { f.Delete("prod") },
			func(string) string {
				return "# Where we deploy.\ncontexts:\n  # The playground.\n  - name: test\n    server: http://test\n    token: hunter2\n"
			}},
		{"delete none", func(f *File) { f.Delete("absent") }, replaced("", "")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := Parse("contexts.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			test.edit(f)
			if got, want := string(f.Text()), test.want(text); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			again, err := Parse("contexts.yaml", f.Text())
			if err != nil || len(again.Contexts) != len(f.Contexts) || again.Current != f.Current {
				t.Errorf("read again it is %v (%v), want %v", again, err, f)
			}
		})
	}
}

func replaced(from, to string) func(string) string {
	return func(text string) string { return strings.Replace(text, from, to, 1) }
}

// No secret is in what is shown of a file, nor in an error.
func TestSecretsAreNotShown(t *testing.T) {
	f, err := Parse("contexts.yaml", []byte("contexts: [{name: a, server: http://a, token: hunter2}]"))
	if err != nil {
		t.Fatal(err)
	}
	if shown := string(f.Value().JSON()); strings.Contains(shown, "hunter2") || !strings.Contains(shown, Redacted) {
		t.Errorf("shown as %s", shown)
	}
	for _, token := range []string{"12345", "[12345]", "{a: 12345}", "'12345 '", "12345 6", "1e12345"} {
		_, err := Parse("contexts.yaml", []byte("contexts: [{name: a, server: http://a, token: "+token+"}]"))
		var e *dovetail.Error
		if !errors.As(err, &e) || strings.Contains(e.Error()+e.Remedy, "12345") {
			t.Errorf("%s: %v", token, err)
		}
	}
	if _, err := Parse("contexts.yaml", []byte("contexts: [{name: a, server: 'ftp://me:12345@a'}]")); err == nil || strings.Contains(err.Error(), "12345") {
		t.Errorf("the password of a URL: %v", err)
	}
}

// What is read and edited can be read again, and says the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte("current: a\ncontexts:\n- {name: a, server: https://h, token: t}\n"))
	f.Add([]byte("contexts:\n# c\n- name: a\n  server: &s http://h\n- {name: b, server: *s, tokenFile: f}\n"))
	f.Add([]byte("contexts: null\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse("f", text)
		if err != nil {
			return
		}
		file.Set(Context{Name: "fuzz", Server: "https://fuzz", Token: "t"})
		file.Use("fuzz")
		if len(file.Contexts) > 1 {
			file.Delete(file.Contexts[0].Name)
		}
		again, err := Parse("f", file.Text())
		if err != nil {
			t.Fatalf("%v:\n%s", err, file.Text())
		}
		if string(again.Value().JSON()) != string(file.Value().JSON()) {
			t.Errorf("got %s, want %s", again.Value().JSON(), file.Value().JSON())
		}
	})
}

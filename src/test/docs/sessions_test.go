package docs_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

var update = flag.Bool("update", false, "write the output of the commands into the documentation")

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	savedFile    = regexp.MustCompile("(?s)\\b[Ss]ave [^`]*?`([a-z0-9/.-]+)`[^\n]*(?:\n[^\n]+)?\n\n```yaml\n(.*?)```")
	serveCommand = regexp.MustCompile("(?m)^dovetail serve(?: ([^&\n]*))?")
	prompt       = regexp.MustCompile("(?m)^[$>] ")
)

// The addresses of the server and of an artifact registry in the documentation.
const (
	docsServer   = "http://127.0.0.1:8080"
	docsRegistry = "http://127.0.0.1:8081"
)

// mark begins the output of a command.
const mark = "---- a command begins ----"

// variable is text that differs from run to run, and what the documentation shows instead. %d stands for a number that
// distinguishes different texts.
type variable struct {
	pattern *regexp.Regexp
	shown   string
}

var (
	versions  = variable{regexp.MustCompile(`\b[a-z0-9]{26}-[0-9]+\b`), "VERSION-%d"}
	positions = variable{regexp.MustCompile(`\b[a-z0-9]{16}-[0-9]+\b`), "POSITION-%d"}
	commits   = variable{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "COMMIT-%d"}
	schemas   = variable{regexp.MustCompile(`\bin force: [0-9a-f]{16}\b`), "in force: HASH"}
	times     = variable{regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`), "TIME-%d"}
	tokens    = variable{regexp.MustCompile(`\bdovetail_[A-Za-z0-9_-]{43}`), "dovetail_" + strings.Repeat("A", 43)}
	dataKeys  = variable{regexp.MustCompile(`\bk[0-9]+-[a-z0-9]{8}\b`), "KEY-%d"}
	records   = variable{regexp.MustCompile(`\b20[0-9]{6}T[0-9]{6}\.[0-9]{3}Z-[a-z0-9]{26}\b`), "RECORD-%d"}
	hashes    = variable{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH-%d"}
	moments   = variable{times.pattern, "2026-03-01T12:00:00Z"}
)

// commandsOf returns the commands of a console block, each with the lines of its input.
func commandsOf(block string) (commands []string) {
	for line := range strings.Lines(block) {
		switch {
		case strings.HasPrefix(line, "$ "):
			commands = append(commands, line)
		case strings.HasPrefix(line, "> "):
			commands[len(commands)-1] += line
		}
	}
	return commands
}

// session runs the commands of a page in a folder of its own.
type session struct {
	dir       string
	registry  string // URL of the registry, which serves dir
	variables []variable
	known     map[string]string // variable text to what is shown for it
	env       []string          // of the commands, beside that of the process
}

// newSession skips the test where a program is missing.
func newSession(t *testing.T, variables []variable, programs ...string) *session {
	t.Helper()
	for _, program := range append(programs, "bash", "curl", "sed", "grep") {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the session needs " + program)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "ref-schemas"), os.DirFS(repository+"/ref-schemas")); err != nil { // as in a clone
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "src/internal/emco/testdata"), os.DirFS(repository+"/src/internal/emco/testdata")); err != nil {
		t.Fatal(err)
	}
	registry := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(registry.Close)
	return &session{dir: dir, registry: registry.URL, variables: variables, known: make(map[string]string)}
}

// write writes a file that the commands use.
func (s *session) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serve starts the server with the flags of the first "dovetail serve" of a text, and returns its URL. Files that are
// named there are those of the session.
func (s *session) serve(t *testing.T, text string) string {
	t.Helper()
	found := serveCommand.FindStringSubmatch(text)
	if found == nil {
		t.Fatal("the page does not start a server")
	}
	flags := map[string]string{"instance-repo-clone": filepath.Join(t.TempDir(), "clone.git")}
	words := strings.Fields(found[1])
	for i := 0; i+1 < len(words); i += 2 {
		value := strings.ReplaceAll(words[i+1], docsRegistry, s.registry)
		if file, isBolt := strings.CutPrefix(value, "bolt:"); isBolt {
			value = "bolt:" + filepath.Join(s.dir, file)
		} else if _, err := os.Stat(filepath.Join(s.dir, value)); err == nil {
			value = filepath.Join(s.dir, value)
		}
		flags[strings.TrimPrefix(words[i], "--")] = value
	}
	delete(flags, "listen") // a free port of this machine
	return startServer(t, flags)
}

// run runs the commands of all console blocks of a text in one shell, with the address of the server put in, and returns
// the text with their output.
func (s *session) run(t *testing.T, text, server string) string {
	t.Helper()
	var script strings.Builder
	for _, block := range consoleBlock.FindAllStringSubmatch(text, -1) {
		for _, command := range commandsOf(block[1]) {
			script.WriteString("echo '" + mark + "'\n" + prompt.ReplaceAllString(command, ""))
		}
	}
	shell := exec.CommandContext(t.Context(), "bash")
	shell.Dir = s.dir
	shell.Env = append(os.Environ(), s.env...)
	shell.Stdin = strings.NewReader(strings.NewReplacer(docsServer, server, docsRegistry, s.registry).Replace(script.String()))
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	shown := strings.NewReplacer(server, docsServer, s.registry, docsRegistry).Replace(string(output))
	for _, v := range s.variables {
		shown = v.pattern.ReplaceAllStringFunc(shown, s.show(v))
	}
	outputs := strings.Split(shown, mark+"\n")[1:]
	return consoleBlock.ReplaceAllStringFunc(text, func(block string) string {
		var b strings.Builder
		for _, command := range commandsOf(consoleBlock.FindStringSubmatch(block)[1]) {
			b.WriteString(command + outputs[0])
			if outputs[0] != "" && !strings.HasSuffix(outputs[0], "\n") {
				b.WriteString("\n")
			}
			outputs = outputs[1:]
		}
		return "```console\n" + b.String() + "```"
	})
}

// show returns what replaces the texts of a variable.
func (s *session) show(v variable) func(string) string {
	return func(text string) string {
		if s.known[text] == "" {
			s.known[text] = strings.ReplaceAll(v.shown, "%d", fmt.Sprint(len(s.known)+1))
		}
		return s.known[text]
	}
}

// same compares a page with what it should be, or with -update makes it that.
func same(t *testing.T, name, text, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(text, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || want[i] != line {
			t.Fatalf("%s:%d: the output is\n%s\nthe page has\n%s", name, i+1, line, want[min(i, len(want)-1)])
		}
	}
}

// readPage returns a page and its file.
func readPage(t *testing.T, page string) (name, text string) {
	t.Helper()
	name = filepath.Join(repository, "docs", page)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, string(data)
}

// withProgram puts the dovetail program on the path of the commands, and tells it the server.
func (s *session) withProgram(t *testing.T, server string) {
	t.Helper()
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"DOVETAIL_SERVER="+server, "XDG_STATE_HOME="+t.TempDir(), "DOVETAIL_CONTEXTS="+filepath.Join(t.TempDir(), "contexts.yaml"))
}

// sessions are the pages, or parts of pages between two headings, whose commands run against a server with the flags that the page says to start one with, on the
// files that it says to save.
var sessions = []struct {
	page      string
	variables []variable
	files     int
	from, to  string
}{
	{"history.md", []variable{versions, positions, moments}, 0, "", ""},
	{"renaming.md", []variable{versions, moments}, 0, "", ""},
	{"change-sets.md", []variable{versions, positions, moments}, 0, "", ""},
	{"overrides.md", []variable{versions}, 0, "", ""},
	{"helm.md", nil, 4, "", ""},
	{"kustomize.md", nil, 5, "", ""},
	{"layering-service.md", []variable{times}, 2, "", ""},
	{"active-resolutions.md", nil, 3, "", ""},
	{"operations.md", []variable{dataKeys}, 0, "", ""},
	{"security.md", []variable{tokens}, 1, "", "## Audit"},
	{"security.md", []variable{records, hashes, versions, moments}, 0, "## Audit", ""},
	{"solution-descriptors.md", []variable{versions}, 1, "", ""},
	{"webhooks.md", []variable{versions}, 1, "", ""},
	{"schema.md", []variable{versions, moments}, 2, "## Versions of the ref-schema", "## Choices"},
	{"data-centre.md", []variable{versions, moments}, 0, "", ""},
	{"emco.md", nil, 0, "", ""},
	{"tutorial.md", []variable{versions, moments}, 4, "", ""},
}

// The output of every command of a session is what its page shows.
func TestDocumentation(t *testing.T) {
	t.Parallel() // some wait for the server
	for _, c := range sessions {
		t.Run(c.page, func(t *testing.T) {
			if !*update { // which writes a page several times
				t.Parallel()
			}
			s := newSession(t, c.variables)
			name, page := readPage(t, c.page)
			start, end := 0, len(page)
			if c.from != "" {
				start = strings.Index(page, "\n"+c.from+"\n")
			}
			if c.to != "" {
				end = strings.Index(page, "\n"+c.to+"\n")
			}
			text := page[start:end]
			files := savedFile.FindAllStringSubmatch(text, -1)
			if len(files) != c.files {
				t.Errorf("%d files, want %d", len(files), c.files)
			}
			for _, file := range files {
				s.write(t, file[1], strings.ReplaceAll(file[2], docsRegistry, s.registry))
			}
			s.write(t, "release-bot.secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
			key, err := envelope.NewKeyFile()
			if err != nil {
				t.Fatal(err)
			}
			s.write(t, "main.key", key)
			server := docsServer // which some do not need: they work on files alone
			if serveCommand.MatchString(text) {
				server = s.serve(t, text)
			}
			s.withProgram(t, server)
			same(t, name, page, page[:start]+s.run(t, text, server)+page[end:])
		})
	}
}

// The session of docs/kubernetes-api.md, which needs kubectl, and openssl for the id of a set.
func TestKubernetesDocumentation(t *testing.T) {
	t.Parallel()
	s := newSession(t, []variable{versions, moments}, "kubectl", "openssl")
	name, page := readPage(t, "kubernetes-api.md")
	server := s.serve(t, page)
	s.withProgram(t, server)
	same(t, name, page, s.run(t, page, server))
}

// The commands of the session with an attached repository in docs/instance-repository.md print what the page shows. The
// server starts between the first block and the others, and another one, which Git hosts may ask, at the end.
func TestAttachedDocumentation(t *testing.T) {
	t.Parallel()
	s := newGitSession(t, "openssl")
	name, page := readPage(t, "instance-repository.md")
	before, text, _ := strings.Cut(page, "\n## Attached to Git\n")
	making, using, found := strings.Cut(text, "Start the server with the command above.")
	if !found {
		t.Fatal("there is no session")
	}
	const withSecret = "Start the server with that file as well:"
	using, webhook, found := strings.Cut(using, withSecret)
	if !found {
		t.Fatal("there is no server that a Git host may ask")
	}
	made := s.run(t, making, docsServer)
	used := s.run(t, using, s.serve(t, making))
	asked := s.run(t, webhook, s.serve(t, webhook))
	same(t, name, page, before+"\n## Attached to Git\n"+made+"Start the server with the command above."+used+withSecret+asked)
}

// newGitSession is a session in which Ben works with Git.
func newGitSession(t *testing.T, programs ...string) *session {
	t.Helper()
	s := newSession(t, []variable{commits, schemas}, append(programs, "git")...)
	s.env = []string{"GIT_CONFIG_GLOBAL=/dev/null"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		s.env = append(s.env, "GIT_"+who+"_NAME=Ben", "GIT_"+who+"_EMAIL=ben@example.com")
	}
	return s
}

// The commands of the session in docs/several-repositories.md print what the page shows. The server starts between the first block and the others.
func TestSeveralRepositoriesDocumentation(t *testing.T) {
	t.Parallel()
	s := newGitSession(t)
	name, page := readPage(t, "several-repositories.md")
	making, using, found := strings.Cut(page, "Start the server:")
	if !found {
		t.Fatal("there is no session")
	}
	made := s.run(t, making, docsServer)
	same(t, name, page, made+"Start the server:"+s.run(t, using, s.serve(t, using)))
}

package app

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands put out into the documentation")

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	versionText  = regexp.MustCompile(`\b[a-z0-9]{26}-[0-9]+\b`)
	commitText   = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
)

// mark begins what a command puts out.
const mark = "---- a command begins ----"

// commandsOf returns the commands of a block of a console, each with the lines of its input.
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

// session is a shell that runs the commands of documentation in a folder of its own.
type session struct {
	dir      string
	versions *regexp.Regexp // texts that differ each time
	called   string         // what they are called instead, with a number
	known    map[string]string
}

// run runs the commands of all console blocks of a text in one shell, as they stand there but for the server,
// and gives back the text with what they put out.
func (s *session) run(t *testing.T, text, server string) string {
	t.Helper()
	var script strings.Builder
	for _, block := range consoleBlock.FindAllStringSubmatch(text, -1) {
		for _, command := range commandsOf(block[1]) {
			script.WriteString("echo '" + mark + "'\n" + regexp.MustCompile("(?m)^[$>] ").ReplaceAllString(command, ""))
		}
	}
	shell := exec.CommandContext(t.Context(), "bash")
	shell.Dir = s.dir
	shell.Stdin = strings.NewReader(strings.Replace(script.String(), "http://127.0.0.1:8080", server, 1))
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	shown := s.versions.ReplaceAllStringFunc(string(output), func(version string) string {
		if s.known[version] == "" {
			s.known[version] = fmt.Sprintf("%s-%d", s.called, len(s.known)+1)
		}
		return s.known[version]
	})
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

// newSession skips the test where a program is missing.
func newSession(t *testing.T, versions *regexp.Regexp, called string, programs ...string) *session {
	t.Helper()
	for _, program := range append(programs, "bash", "curl", "sed", "grep") {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the session needs " + program)
		}
	}
	return &session{dir: t.TempDir(), versions: versions, called: called, known: make(map[string]string)}
}

// same compares a document with what it should be, or makes it that.
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
			t.Fatalf("line %d puts out\n%s\nthe documentation has\n%s", i+1, line, want[min(i, len(want)-1)])
		}
	}
}

// Every command of the session in docs/overrides.md puts out what stands there.
func TestOverridesDocumentation(t *testing.T) {
	s := newSession(t, versionText, "VERSION")
	const name = "../../../docs/overrides.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	same(t, name, string(text), s.run(t, string(text), start(t, nil).URL()))
}

// So does every command of the session with an attached repository in docs/instance-repository.md; between the first
// block and the others the server is started as it says.
func TestAttachedDocumentation(t *testing.T) {
	s := newSession(t, commitText, "COMMIT", "git")
	const name = "../../../docs/instance-repository.md"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Ben")
		t.Setenv("GIT_"+who+"_EMAIL", "ben@example.com")
	}
	before, text, _ := strings.Cut(string(data), "\n## Attached to Git\n")
	making, using, found := strings.Cut(text, "The server, started as above")
	if !found || !strings.Contains(making, "dovetail serve --instance-repo instance-repo.git --instance-repo-interval 1s\n") {
		t.Fatal("there is no session")
	}
	made := s.run(t, making, "")
	server := start(t, map[string]string{"instance-repo": filepath.Join(s.dir, "instance-repo.git"), "instance-repo-interval": "1s",
		"instance-repo-clone": filepath.Join(s.dir, "clone.git")})
	used := s.run(t, using, server.URL())
	same(t, name, string(data), before+"\n## Attached to Git\n"+made+"The server, started as above"+used)
}

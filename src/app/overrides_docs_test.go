package app

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands put out into the documentation")

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	versionText  = regexp.MustCompile(`\b[a-z0-9]{26}-[0-9]+\b`)
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

// runSession runs the commands of all console blocks of a document in one shell, as they stand there but for
// the server, and gives back the document with what they put out.
func runSession(t *testing.T, text, server string) string {
	t.Helper()
	var script strings.Builder
	for _, block := range consoleBlock.FindAllStringSubmatch(text, -1) {
		for _, command := range commandsOf(block[1]) {
			script.WriteString("echo '" + mark + "'\n" + regexp.MustCompile("(?m)^[$>] ").ReplaceAllString(command, ""))
		}
	}
	shell := exec.CommandContext(t.Context(), "bash")
	shell.Stdin = strings.NewReader(strings.Replace(script.String(), "http://127.0.0.1:8080", server, 1))
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	versions := make(map[string]string)
	shown := versionText.ReplaceAllStringFunc(string(output), func(version string) string {
		if versions[version] == "" {
			versions[version] = fmt.Sprintf("VERSION-%d", len(versions)+1)
		}
		return versions[version]
	})
	outputs := strings.Split(shown, mark+"\n")[1:]
	return consoleBlock.ReplaceAllStringFunc(text, func(block string) string {
		var b strings.Builder
		for _, command := range commandsOf(consoleBlock.FindStringSubmatch(block)[1]) {
			b.WriteString(command + outputs[0])
			outputs = outputs[1:]
		}
		return "```console\n" + b.String() + "```"
	})
}

// Every command of the session in docs/overrides.md puts out what stands there.
func TestOverridesDocumentation(t *testing.T) {
	for _, program := range []string{"bash", "curl", "sed", "grep"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the session needs " + program)
		}
	}
	const name = "../../docs/overrides.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := runSession(t, string(text), start(t, nil).URL())
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(string(text), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || want[i] != line {
			t.Fatalf("line %d puts out\n%s\nthe documentation has\n%s", i+1, line, want[min(i, len(want)-1)])
		}
	}
}

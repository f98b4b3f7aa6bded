package docs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// pageCommand is a simple command of a page.
type pageCommand struct {
	position string   // page and line
	words    []string // of the command, without quotes
	console  bool     // in a console block
	inline   bool     // in a sentence: an argument may be left out, or be a placeholder
}

// sessionsElsewhere are the pages whose console blocks the tests of other packages run, by the test.
var sessionsElsewhere = map[string]string{
	"docs/deckhand.md":             "TestDeckhandGuide of package app",
	"docs/several-repositories.md": "TestSeveralRepositoriesDocumentation",
	"docs/instance-repository.md":  "TestAttachedDocumentation and, of package cli, TestInstanceRepositoryDocumentation",
	"docs/kubernetes-api.md":       "TestKubernetesDocumentation",
	"docs/layering.md":             "TestConsoleOfLayeringDocs of package cli",
	"docs/explanations.md":         "TestResolutionDocumentation of package cli",
	"docs/resolution.md":           "TestResolutionDocumentation of package cli",
}

// unchecked are the commands that no test runs or checks, by their first words, with the reason.
var unchecked = map[string]string{
	"apt-get install":       "installs packages of Debian; .ci/run installs the same",
	"cosign verify":         "needs a published release",
	"cosign verify-blob":    "needs a published release",
	"curl --cert":           "needs certificates; TestClientCertificates sends the request",
	"curl -sSfH":            "needs a Deckhand",
	"gh attestation verify": "needs a published release",
	"go tool pprof":         "part of Go, and needs a server with --pprof",
	"jq":                    "a program of its own, which prints a part of the output",
	"kubectl get pvc":       "part of Kubernetes",
	"kubectl logs":          "part of Kubernetes",
	"kubectl port-forward":  "part of Kubernetes",
	"kustomize build":       "a program of its own; TestKustomize of test/gitops builds the same",
	"psql":                  "part of PostgreSQL; it writes what TestMigrateDeckhand reads",
	"python3 -m":            "a file server, which the session replaces by its own",
}

// shellCommands are part of the shell or of every system.
var shellCommands = []string{"cat", "cd", "cp", "echo", "export", "mkdir", "mv", "sed"}

var (
	codeBlockOfPage = regexp.MustCompile("(?ms)^( *)```([a-z]*)\n(.*?)^ *```")
	hiddenCommand   = regexp.MustCompile(`(?m)^(?:[$#] .*|(?:dovetail|make|helm|kubectl|docker|go|git|curl) .*)`)
	inlineCommand   = regexp.MustCompile("`((?:dovetail|make|helm|kubectl|docker|go|git|curl|npm|scripts/[a-z-]+|\\.ci/(?:run|full|soak)|[A-Z_]+=[^ `]+) [^`|\\\\]+)")
)

// commandLines returns the input of a console block, each line in its place.
func commandLines(block string) string {
	var b strings.Builder
	for line := range strings.Lines(block) {
		if !prompt.MatchString(line) {
			line = "\n"
		}
		b.WriteString(prompt.ReplaceAllString(line, ""))
	}
	return b.String()
}

// pageCommands returns the commands of a page: those of its sh and console blocks, and those in its sentences.
func pageCommands(t *testing.T, page, text string) (commands []pageCommand) {
	t.Helper()
	lineOf := func(offset int) int { return strings.Count(text[:offset], "\n") + 1 }
	parse := func(script string, line int, console, inline bool) {
		file, err := syntax.NewParser().Parse(strings.NewReader(script), page)
		if err != nil {
			t.Errorf("%s:%d: no shell reads this: %v", page, line, err)
			return
		}
		functions := make(map[string]bool)
		syntax.Walk(file, func(node syntax.Node) bool {
			switch node := node.(type) {
			case *syntax.FuncDecl:
				functions[node.Name.Value] = true
			case *syntax.CallExpr:
				if words := wordsOf(node.Args); len(words) > 0 && !functions[words[0]] {
					commands = append(commands, pageCommand{fmt.Sprintf("%s:%d", page, line+int(node.Pos().Line())-1), words, console, inline}) //nolint:gosec // a line
				}
			}
			return true
		})
	}
	for _, found := range codeBlockOfPage.FindAllStringSubmatchIndex(text, -1) {
		language, block, line := text[found[4]:found[5]], text[found[6]:found[7]], lineOf(found[0])+1
		switch language {
		case "":
			t.Errorf("%s:%d: the block has no language: sh, console (with output), text or that of its data", page, line-1)
		case "console":
			parse(commandLines(block), line, true, false)
		case "text":
			if command := hiddenCommand.FindString(block); command != "" && page != "docs/reference/cli.md" { // which has usage lines
				t.Errorf("%s:%d: the command %q is in a block of text: want sh, or console with output", page, line, command)
			}
		case "sh":
			parse(block, line, false, false)
		}
	}
	prose := codeBlockOfPage.ReplaceAllStringFunc(text, func(block string) string { return strings.Repeat("\n", strings.Count(block, "\n")) })
	for number, line := range strings.Split(prose, "\n") {
		for _, found := range inlineCommand.FindAllStringSubmatch(line, -1) {
			parse(found[1], number+1, false, true)
		}
	}
	return commands
}

// wordsOf returns words without their quotes. What the shell calculates stands there as it is written.
func wordsOf(args []*syntax.Word) (words []string) {
	for _, arg := range args {
		var b strings.Builder
		appendParts(&b, arg.Parts)
		words = append(words, b.String())
	}
	return words
}

func appendParts(b *strings.Builder, parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(part.Value)
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			appendParts(b, part.Parts)
		default:
			b.WriteString("$")
		}
	}
}

// checks say of a command by its program what is wrong with it. They accept what the program, the Makefile or the script
// accepts.
var checks = map[string]func(pageCommand) error{
	"dovetail": func(c pageCommand) error { return checkDovetail(c.words[1:], c.inline) },
	"go":       checkGo,
	"make":     checkMake,
	"npm":      checkNpm,
	"docker":   checkDocker,
	"helm":     checkedWithChart,
	"kubectl":  checkKubectl,
}

// checkDovetail checks that the command exists and accepts the flags and, outside of sentences, the arguments.
func checkDovetail(args []string, inline bool) error {
	return checkProgram(false, args, inline)
}

// checkProgram does that for the program, or for it as the plug-in of kubectl.
func checkProgram(plugin bool, args []string, inline bool) error {
	root := cli.New(cli.Deps{Settings: app.Settings()})
	if plugin {
		root = cli.NewPlugin(cli.Deps{})
	}
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil && (!inline || !strings.Contains(err.Error(), "flag needs an argument")) {
		return err
	}
	if inline || cmd.Args == nil {
		return nil
	}
	return cmd.Args(cmd, cmd.Flags().Args())
}

// goFlags are the names of the flags of go test, and of the repository's own tests.
var goFlags = sync.OnceValues(func() (map[string]bool, error) {
	flags := make(map[string]bool)
	for _, topic := range []string{"testflag", "build"} {
		text, err := exec.Command("go", "help", topic).Output() //nolint:noctx // it ends by itself
		if err != nil {
			return nil, err
		}
		for _, found := range regexp.MustCompile(`(?m)^\t-([a-z]+)`).FindAllStringSubmatch(string(text), -1) {
			flags[found[1]] = true
		}
	}
	return flags, nil
})

// checkGo checks that packages exist, that go test has the flags, and that dovetail accepts what go run gives it.
func checkGo(c pageCommand) error {
	command, args := c.words[1], c.words[2:]
	if command == "get" {
		module, err := os.ReadFile(path.Join(repository, "go.mod"))
		if err != nil || !strings.HasPrefix(string(module), "module "+args[0]+"\n") {
			return fmt.Errorf("the module is not %s: %w", args[0], err)
		}
		return nil
	}
	if command != "test" && command != "run" && command != "build" && command != "doc" {
		return fmt.Errorf("no test knows go %s", command)
	}
	flags, err := goFlags()
	if err != nil {
		return err
	}
	for i, word := range args {
		word = strings.Replace(word, "github.com/dovetail-store/dovetail/", "./", 1)
		name, isFlag := strings.CutPrefix(word, "-")
		switch name, _, _ := strings.Cut(name, "="); {
		case isFlag && !flags[name] && !(command == "test" && isFlagOfTests(args, name)):
			return fmt.Errorf("go %s has no flag -%s", command, name)
		case strings.HasPrefix(word, "./") && !(c.inline && strings.Contains(word, "PACKAGE")):
			if info, err := os.Stat(path.Join(repository, strings.TrimSuffix(word, "..."))); err != nil || !info.IsDir() {
				return fmt.Errorf("there is no folder %s", word)
			}
		}
		if command == "run" && word == "./src/cmd/dovetail" {
			return checkDovetail(args[i+1:], c.inline)
		}
	}
	return nil
}

// isFlagOfTests reports whether the tests of a folder among the arguments declare the flag, or rapid does.
func isFlagOfTests(args []string, name string) bool {
	if name == "update" || strings.HasPrefix(name, "rapid.") {
		return true
	}
	for _, arg := range args {
		files, _ := filepath.Glob(path.Join(repository, arg, "*_test.go")) // no pattern of ours is malformed
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err == nil && regexp.MustCompile(`\bflag\.\w+\("`+regexp.QuoteMeta(name)+`"`).Match(text) {
				return true
			}
		}
	}
	return false
}

// checkMake checks that the Makefile has the targets.
func checkMake(c pageCommand) error {
	makefile, err := os.ReadFile(path.Join(repository, "Makefile"))
	if err != nil {
		return err
	}
	for _, word := range c.words[1:] {
		if !strings.Contains(word, "=") && !strings.Contains(string(makefile), "\n"+word+":") {
			return fmt.Errorf("the Makefile has no target %s", word)
		}
	}
	return nil
}

// checkScript checks that a script can be run and mentions every argument: those of .ci as a step, others in their usage.
func checkScript(c pageCommand) error {
	file := path.Join(repository, c.words[0])
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Mode()&0o111 == 0 {
		return errors.New("it is not executable")
	}
	isCheck := strings.HasPrefix(c.words[0], ".ci/")
	if isCheck {
		file = path.Join(repository, ".ci/library.sh")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, word := range c.words[1:] {
		if isCheck {
			word = "step_" + word + "()"
		}
		if !strings.Contains(string(text), word) {
			return fmt.Errorf("the script does not know %s", word)
		}
	}
	return nil
}

// checkNpm checks that the package has the script.
func checkNpm(c pageCommand) error {
	if len(c.words) < 5 || c.words[1] != "--prefix" || c.words[3] != "run" {
		return errors.New("want npm --prefix FOLDER run SCRIPT")
	}
	text, err := os.ReadFile(path.Join(repository, c.words[2], "package.json"))
	if err != nil {
		return err
	}
	var manifest struct{ Scripts map[string]string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return err
	}
	if manifest.Scripts[c.words[4]] == "" {
		return fmt.Errorf("package.json has no script %s", c.words[4])
	}
	return nil
}

// checkDocker checks the profiles of a compose command, and what a container of the image runs. The tests of
// test/e2e/containers run both.
func checkDocker(c pageCommand) error {
	switch c.words[1] {
	case "compose":
		text, err := os.ReadFile(path.Join(repository, "docker-compose.yml"))
		if err != nil {
			return err
		}
		for i, word := range c.words {
			if word == "--profile" && !regexp.MustCompile(`profiles: \[.*\b`+c.words[i+1]+`\b`).Match(text) {
				return fmt.Errorf("docker-compose.yml has no profile %s", c.words[i+1])
			}
		}
		return nil
	case "run":
		if i := slices.Index(c.words, "dovetail:latest"); i >= 0 {
			return checkDovetail(c.words[i+1:], false)
		}
	}
	return errors.New("no test knows this command")
}

// checkKubectl checks the commands of the plug-in of kubectl as those of dovetail.
func checkKubectl(c pageCommand) error {
	if len(c.words) > 1 && c.words[1] == "dovetail" {
		return checkProgram(true, c.words[2:], c.inline)
	}
	return checkedWithChart(c)
}

// checkedWithChart leaves a command to test/e2e/chart, which reads the page and has Helm and the chart's objects.
func checkedWithChart(c pageCommand) error {
	if c.words[0] == "kubectl" && (c.console || slices.Contains(c.words, "--kubeconfig")) { // of Dovetail's own Kubernetes API: TestKubernetesDocumentation
		return nil
	}
	text, err := os.ReadFile(path.Join(repository, "test/e2e/chart/docs_test.go"))
	if err != nil {
		return err
	}
	if page, _, _ := strings.Cut(c.position, ":"); !c.inline && !strings.Contains(string(text), `"`+page+`"`) {
		return fmt.Errorf("test/e2e/chart does not read %s", page)
	}
	return nil
}

// reasonUnchecked returns the entry of unchecked that a command has.
func reasonUnchecked(words []string) string {
	for prefix := range unchecked {
		if want := strings.Fields(prefix); len(words) >= len(want) && slices.Equal(words[:len(want)], want) {
			return prefix
		}
	}
	return ""
}

// Every command on every page is run by a session, or is one that its program accepts, or is listed with the reason why
// neither can be shown.
func TestCommandsOfDocumentation(t *testing.T) {
	run := make(map[string]bool)
	for page := range sessionsElsewhere {
		run[page] = true
	}
	for _, s := range sessions {
		run["docs/"+s.page] = true
	}
	checked, used := 0, make(map[string]bool)
	for _, page := range sourceFiles(t, ".md") {
		text := readSource(t, page)
		if strings.Contains(text, "```console\n") && !run[page] {
			t.Errorf("%s has a console block, which no test runs", page)
		}
		for _, c := range pageCommands(t, page, text) {
			checked++
			check := checks[c.words[0]]
			reason := reasonUnchecked(c.words)
			used[reason] = true
			switch {
			case strings.HasPrefix(c.words[0], "scripts/"), strings.HasPrefix(c.words[0], ".ci/"):
				check = checkScript
			case reason != "", slices.Contains(shellCommands, c.words[0]):
				continue
			case check == nil && c.console:
				continue // the session shows what it does
			case check == nil:
				t.Errorf("%s: no test runs or checks %q", c.position, c.words)
				continue
			}
			if err := check(c); err != nil {
				t.Errorf("%s: %q: %v", c.position, c.words, err)
			}
		}
	}
	for prefix := range unchecked {
		if !used[prefix] {
			t.Errorf("no page has %q any more", prefix)
		}
	}
	if checked < 250 {
		t.Errorf("only %d commands found", checked)
	}
}

package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is the root of the working tree.
const repository = "../../.."

var (
	fencedBlock   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	inlineCode    = regexp.MustCompile("`[^`\n]+`")
	heading       = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	linkText      = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	linkTarget    = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|(?m)^\[[^\]]+\]: +(\S+)`)
	notInAnAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	address       = regexp.MustCompile(`^[a-z]+:`)
	mentionedPage = regexp.MustCompile(`\bdocs/[A-Za-z0-9/_-]+\.md(?:#[a-z0-9_-]+)?`)
)

// sourceFiles returns the text files of the repository with one of the extensions, by their paths, without those that are
// generated, downloaded or data of tests.
func sourceFiles(t *testing.T, extensions ...string) (found []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(repository), ".", func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && base != ".github" && (base[0] == '.' || slices.Contains([]string{"testdata", "node_modules", "dist", "bin", "data"}, base)):
			return fs.SkipDir
		case entry.Type().IsRegular() && slices.Contains(extensions, path.Ext(name)):
			found = append(found, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// readSource returns a file of the repository.
func readSource(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(path.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anchorsOf returns the anchors of the headings of a page, as GitHub makes them.
func anchorsOf(text string) map[string]bool {
	anchors := make(map[string]bool)
	for _, found := range heading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		plain := strings.ToLower(linkText.ReplaceAllString(found[1], "$1"))
		anchor := strings.ReplaceAll(notInAnAnchor.ReplaceAllString(plain, ""), " ", "-")
		unique := anchor
		for i := 1; anchors[unique]; i++ {
			unique = fmt.Sprintf("%s-%d", anchor, i)
		}
		anchors[unique] = true
	}
	return anchors
}

// brokenLink returns what is wrong with a link to a file of the repository, or "".
func brokenLink(root fs.FS, target string) string {
	name, anchor, _ := strings.Cut(target, "#")
	text, err := fs.ReadFile(root, name)
	if info, errOfStat := fs.Stat(root, name); errOfStat != nil {
		return "there is no such file"
	} else if info.IsDir() && anchor == "" {
		return ""
	}
	switch {
	case err != nil:
		return err.Error()
	case anchor != "" && !anchorsOf(string(text))[anchor]:
		return "there is no such heading"
	}
	return ""
}

// linksOf returns where the links of a page lead in the repository: a file, and behind # an anchor, if any.
func linksOf(page, text string) (targets []string) {
	text = inlineCode.ReplaceAllString(fencedBlock.ReplaceAllString(text, ""), "code")
	for _, found := range linkTarget.FindAllStringSubmatch(text, -1) {
		target := found[1] + found[2]
		file, anchor, hasAnchor := strings.Cut(target, "#")
		switch {
		case address.MatchString(target):
			continue
		case file == "":
			file = page
		default:
			file = path.Join(path.Dir(page), file)
		}
		if hasAnchor {
			file += "#" + anchor
		}
		targets = append(targets, file)
	}
	return targets
}

// Every link and image of every page leads to a file of the repository, and to a heading where it names one. So does every
// mention of a page in code, messages, scripts and the chart.
func TestLinks(t *testing.T) {
	root := os.DirFS(repository)
	checked := 0
	for _, page := range sourceFiles(t, ".md") {
		for _, target := range linksOf(page, readSource(t, page)) {
			checked++
			if wrong := brokenLink(root, target); wrong != "" {
				t.Errorf("%s links to %s: %s", page, target, wrong)
			}
		}
	}
	for _, name := range sourceFiles(t, ".go", ".md", ".yaml", ".yml", ".tpl", ".txt", ".ts", ".tsx", "") {
		for _, target := range mentionedPage.FindAllString(readSource(t, name), -1) {
			checked++
			if wrong := brokenLink(root, target); wrong != "" {
				t.Errorf("%s mentions %s: %s", name, target, wrong)
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d links found", checked)
	}
}

// A reader who follows links from the README finds every page of the documentation.
func TestPagesAreLinked(t *testing.T) {
	found, next := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(next) > 0 {
		page := next[0]
		next = next[1:]
		for _, target := range linksOf(page, readSource(t, page)) {
			if file, _, _ := strings.Cut(target, "#"); path.Ext(file) == ".md" && !found[file] {
				found[file] = true
				next = append(next, file)
			}
		}
	}
	for _, page := range sourceFiles(t, ".md") {
		if !found[page] && !strings.HasPrefix(page, ".github/") {
			t.Errorf("no page leads to %s", page)
		}
	}
}

// The architecture page names every package.
func TestPackagesAreDescribed(t *testing.T) {
	page := readSource(t, "docs/architecture.md")
	described := 0
	for _, pattern := range []string{"src/*", "src/internal/*/*"} {
		entries, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := filepath.Base(entry)
			if info, err := os.Stat(entry); err != nil || !info.IsDir() || name == "internal" || name == "testdata" {
				continue
			}
			if described++; !regexp.MustCompile(`\b` + name + `\b`).MatchString(page) {
				t.Errorf("docs/architecture.md does not name %s", name)
			}
		}
	}
	if described < 30 {
		t.Errorf("only %d packages found", described)
	}
}

// Every image of docs/images is shown by a page.
func TestImagesAreShown(t *testing.T) {
	var pages strings.Builder
	for _, page := range sourceFiles(t, ".md") {
		pages.WriteString(readSource(t, page))
	}
	images := sourceFiles(t, ".png", ".svg", ".jpg")
	for _, image := range images {
		if path.Dir(image) == "docs/images" && !strings.Contains(pages.String(), "images/"+path.Base(image)) {
			t.Errorf("no page shows %s", image)
		}
	}
	if len(images) == 0 {
		t.Error("there are no images")
	}
}

// A link to a missing file, folder or heading is found, one to what exists is accepted.
func TestBrokenLink(t *testing.T) {
	root := os.DirFS(repository)
	for _, c := range []struct{ name, page, text, wrong string }{
		{"page", "docs/faq.md", "[x](index.md)", ""},
		{"folder", "docs/faq.md", "[x](../src)", ""},
		{"image", "docs/faq.md", "![x](images/web-form.png)", ""},
		{"heading", "README.md", "[x](docs/index.md#start-here)", ""},
		{"heading with a number and punctuation", "docs/faq.md", "[x](tutorial.md#7-plan-a-cascade)", ""},
		{"heading of the same page", "docs/index.md", "[x](#start-here)", ""},
		{"reference-style link", "docs/faq.md", "[x]: index.md", ""},
		{"no page", "docs/faq.md", "[x](indes.md)", "there is no such file"},
		{"no image", "docs/faq.md", "![x](images/none.png)", "there is no such file"},
		{"no heading", "docs/faq.md", "[x](index.md#start)", "there is no such heading"},
		{"no heading of the same page", "docs/index.md", "[x](#start)", "there is no such heading"},
		{"page of another folder", "README.md", "[x](index.md)", "there is no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			targets := linksOf(c.page, c.text)
			if len(targets) != 1 {
				t.Fatalf("links %q", targets)
			}
			if wrong := brokenLink(root, targets[0]); wrong != c.wrong {
				t.Errorf("got %q, want %q", wrong, c.wrong)
			}
		})
	}
	if targets := linksOf("README.md", "[x](https://example.com) `[x](y.md)`\n```text\n[x](y.md)\n```\n"); len(targets) > 0 {
		t.Errorf("links %q", targets)
	}
	if anchors := anchorsOf("# A `b`: c_d\n## X\n```sh\n# no heading\n```\n### [X](y.md)\n"); !anchors["a-b-c_d"] || !anchors["x"] || !anchors["x-1"] || len(anchors) != 3 {
		t.Errorf("anchors %v", anchors)
	}
}

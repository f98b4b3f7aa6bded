package app

import (
	"fmt"
	"io/fs"
	"os"
	"path"
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

// brokenLink returns what is wrong with a link from a file in a folder, or "".
func brokenLink(root fs.FS, folder, target string) string {
	file, anchor, _ := strings.Cut(target, "#")
	name := path.Join(folder, file)
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

// Every link and image of every page leads to a file of the repository, and to a heading where it names one. So does every
// mention of a page in code, messages, scripts and the chart.
func TestLinks(t *testing.T) {
	root := os.DirFS(repository)
	checked := 0
	for _, page := range sourceFiles(t, ".md") {
		text := inlineCode.ReplaceAllString(fencedBlock.ReplaceAllString(readSource(t, page), ""), "code")
		for _, found := range linkTarget.FindAllStringSubmatch(text, -1) {
			target := found[1] + found[2]
			if regexp.MustCompile(`^[a-z]+:`).MatchString(target) {
				continue
			}
			checked++
			folder, linked := path.Dir(page), target
			if strings.HasPrefix(target, "#") {
				linked = path.Base(page) + target
			}
			if wrong := brokenLink(root, folder, linked); wrong != "" {
				t.Errorf("%s links to %s: %s", page, target, wrong)
			}
		}
	}
	for _, name := range sourceFiles(t, ".go", ".md", ".yaml", ".yml", ".tpl", ".txt", ".ts", ".tsx", "") {
		for _, target := range mentionedPage.FindAllString(readSource(t, name), -1) {
			checked++
			if wrong := brokenLink(root, ".", target); wrong != "" {
				t.Errorf("%s mentions %s: %s", name, target, wrong)
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d links found", checked)
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
	for _, c := range []struct{ name, folder, target, wrong string }{
		{"a page", "docs", "index.md", ""},
		{"a folder", "docs", "../src", ""},
		{"a heading", ".", "docs/index.md#start-here", ""},
		{"a heading with a number and punctuation", "docs", "tutorial.md#7-plan-a-cascade", ""},
		{"no page", "docs", "indes.md", "there is no such file"},
		{"no heading", "docs", "index.md#start", "there is no such heading"},
		{"a page elsewhere", ".", "index.md", "there is no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if wrong := brokenLink(root, c.folder, c.target); wrong != c.wrong {
				t.Errorf("got %q, want %q", wrong, c.wrong)
			}
		})
	}
	if anchors := anchorsOf("# A `b`: c_d\n## X\n```sh\n# no heading\n```\n### [X](y.md)\n"); !anchors["a-b-c_d"] || !anchors["x"] || !anchors["x-1"] || len(anchors) != 3 {
		t.Errorf("anchors %v", anchors)
	}
}

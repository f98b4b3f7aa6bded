package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

var update = flag.Bool("update", false, "write the pages of docs/reference")

// TestReference checks that the pages of docs/reference say what the code says.
func TestReference(t *testing.T) {
	root := cli.New(cli.Deps{Settings: app.Settings()})
	model := shippedModel(t)
	for _, c := range []struct{ name, generated string }{
		{"cli", commandReference(root) + "\n" + commandReference(cli.NewPlugin(cli.Deps{}))},
		{"configuration", settingReference(app.Settings())},
		{"rest", pathReference(t, model)},
		{"schema", kindReference(model)},
	} {
		t.Run(c.name, func(t *testing.T) {
			prose, err := os.ReadFile("testdata/reference/" + c.name + ".md")
			if err != nil {
				t.Fatal(err)
			}
			const place = "GENERATED\n"
			if strings.Count(string(prose), place) != 1 {
				t.Fatalf("the prose must have one line %q", place)
			}
			got := "<!-- Generated: edit src/cmd/dovetail/testdata/reference/" + c.name + ".md, or the code, and run make reference. -->\n" +
				strings.Replace(string(prose), place, c.generated, 1)
			page := repository + "/docs/reference/" + c.name + ".md"
			if *update {
				if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(want), "\n")
			for i, line := range strings.Split(got, "\n") {
				if i >= len(lines) || lines[i] != line {
					t.Fatalf("docs/reference/%s.md is out of date, run make reference: line %d should be\n%s", c.name, i+1, line)
				}
			}
			if string(want) != got {
				t.Fatalf("docs/reference/%s.md is out of date, run make reference: it has more lines", c.name)
			}
		})
	}
}

// commandReference describes all commands, each below its parent.
func commandReference(root *cobra.Command) string {
	var b strings.Builder
	var describe func(c *cobra.Command)
	describe = func(c *cobra.Command) {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", c.CommandPath(), sentence(c.Short))
		if c.Long != "" {
			fmt.Fprintf(&b, "```text\n%s\n```\n\n", strings.TrimSpace(c.Long))
		}
		if c.Runnable() && c != root {
			fmt.Fprintf(&b, "```text\n%s\n```\n\n", c.UseLine())
		}
		if c.Example != "" {
			fmt.Fprintf(&b, "Examples:\n\n```sh\n%s\n```\n\n", unindent(c.Example))
		}
		c.InitDefaultHelpFlag()
		writeFlags(&b, c.NonInheritedFlags())
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand() {
				describe(child)
			}
		}
	}
	describe(root)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	var rows [][]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name += ", `-" + f.Shorthand + "`"
		}
		usage, _, _ := strings.Cut(f.Usage, " [$")
		rows = append(rows, []string{name, code(f.DefValue), usage})
	})
	if len(rows) > 0 {
		b.WriteString(table([]string{"flag", "default", "meaning"}, rows) + "\n")
	}
}

// settingReference describes all settings of servers and gateways.
func settingReference(settings []cli.Setting) string {
	var rows [][]string
	for _, s := range settings {
		file := code(s.Name)
		switch {
		case s.Name == "config":
			file = "(flag or environment only)"
		case slices.Contains(cli.UpstreamSettings, s.Name):
			file = "(gateway only)"
		}
		rows = append(rows, []string{code("--" + s.Name), code(cli.EnvironmentName(s.Name)), file, code(s.Default), s.Usage})
	}
	return table([]string{"flag", "environment variable", "file key", "default", "meaning"}, rows)
}

// table writes a Markdown table.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + strings.ReplaceAll(strings.Join(strings.Fields(cell), " "), "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(head)
	b.WriteString(strings.Repeat("| --- ", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// sentence gives a text a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

func unindent(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n"), "  "))
	}
	return strings.Join(lines, "\n")
}

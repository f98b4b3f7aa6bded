package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Every flag whose value may be left out has a type that words after it are checked for, and help does not show its value as a word of
// its own.
func TestFlagsWithOptionalValues(t *testing.T) {
	found := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal == "" || f.Value.Type() == "bool" {
				return
			}
			found++
			if _, is := f.Value.(*optional); !is {
				t.Errorf("%s --%s is not made by optionalFlag", cmd.CommandPath(), f.Name)
			}
			if usage := cmd.LocalFlags().FlagUsages(); !strings.Contains(usage, "--"+f.Name+"[=") {
				t.Errorf("%s --%s is shown as\n%s", cmd.CommandPath(), f.Name, usage)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(New(Deps{}))
	if found < 4 {
		t.Errorf("there are %d such flags", found)
	}
}

func TestSeparateValues(t *testing.T) {
	for line, want := range map[string]string{
		"delete cluster c1 --cascade plan":             "--cascade=plan",
		"delete --cascade plan cluster c1":             "--cascade=plan",
		"delete cluster c1 --cascade false":            "--cascade=false",
		"delete cluster c1 --cascade PLAN":             "--cascade=PLAN",
		"delete cluster c1 -v --cascade true -o name":  "--cascade=true",
		"delete cluster c1 --dry-run false":            "--dry-run=false",
		"delete cluster c1 -v false":                   "--verbose=false",
		"apply -f x --set s --prune plan":              "--prune=plan",
		"layering lint -f x --fix plan":                "--fix=plan",
		"resolve -f x --diff chosen.txt":               "--diff=chosen.txt",
		"resolve -f x --diff -":                        "--diff=-",
		"delete cluster plan --cascade":                "",
		"delete cluster c1 --cascade=plan":             "",
		"delete cluster --cascade c1":                  "",
		"delete cluster --cascade=false plan":          "",
		"delete cluster c1 --cascade -- plan":          "",
		"delete cluster c1 --message --cascade plan":   "", // the message is --cascade
		"delete -vo name cluster plan":                 "",
		"apply -f x --set s --prune --field-manager m": "",
		"apply -f x --set s --prune -o json":           "",
		"resolve -f x --diff --explain":                "",
	} {
		t.Run(line, func(t *testing.T) {
			root, args := New(Deps{}), strings.Fields(line)
			cmd, _, err := root.Find(args)
			if err != nil {
				t.Fatal(err)
			}
			cmd.Args = nil
			refuseSeparateValue(root, args)
			got := ""
			if cmd.Args != nil {
				got = dovetail.AsError(cmd.Args(cmd, nil)).Remedy
			}
			if (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("it says %q, want %q", got, want)
			}
		})
	}
}

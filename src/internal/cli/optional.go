package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// optional is the value of a flag that may stand without one: --cascade, or --cascade=plan.
type optional struct {
	to    *string
	words []string // that it may be; nil for any text
}

// String implements pflag.Value.
func (o *optional) String() string {
	if o.to == nil {
		return ""
	}
	return *o.to
}

// Set implements pflag.Value. The verb checks the value.
func (o *optional) Set(text string) error {
	*o.to = text
	return nil
}

// Type implements pflag.Value. Without a name for the value, help shows --cascade[=true], and not the value as a separate argument.
func (o *optional) Type() string { return "" }

// optionalFlag adds a flag whose value may be left out; bare is its value then. Without the flag it is what it points to.
func optionalFlag(cmd *cobra.Command, to *string, name, bare, usage string, words ...string) {
	cmd.Flags().Var(&optional{to: to, words: words}, name, usage)
	cmd.Flags().Lookup(name).NoOptDefVal = bare
	if len(words) > 0 {
		offered := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == *to })
		check(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(offered, cobra.ShellCompDirectiveNoFileComp)))
	}
}

// refuseSeparateValue has the command refuse its arguments where a word after a flag was meant as its value, but is
// parsed as an argument, since the value may be left out: `delete c1 --cascade plan` would delete.
func refuseSeparateValue(root *cobra.Command, args []string) {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.DisableFlagParsing {
		return // running it says what is wrong
	}
	cmd.InheritedFlags() // which adds them to Flags
	for i := 0; i+1 < len(args) && args[i] != "--"; i++ {
		flag, open := lastFlag(cmd.Flags(), args[i])
		switch {
		case !open:
		case flag.NoOptDefVal == "":
			i++ // its value
		case looksLikeValue(flag, args[i+1]):
			refusal := separateValue(flag.Name, args[i+1])
			cmd.Args = func(*cobra.Command, []string) error { return refusal }
			return
		}
	}
}

// lastFlag returns the last flag of an argument, and reports whether the argument does not have its value.
func lastFlag(flags *pflag.FlagSet, arg string) (flag *pflag.Flag, open bool) {
	if long, is := strings.CutPrefix(arg, "--"); is {
		name, _, valued := strings.Cut(long, "=")
		flag = flags.Lookup(name)
		return flag, flag != nil && !valued
	}
	letters, is := strings.CutPrefix(arg, "-")
	if !is {
		return nil, false
	}
	for i := range len(letters) {
		if flag = flags.ShorthandLookup(letters[i : i+1]); flag == nil {
			return nil, false
		}
		rest := letters[i+1:]
		if rest != "" && (flag.NoOptDefVal == "" || rest[0] == '=') {
			return flag, false
		}
	}
	return flag, flag != nil
}

// looksLikeValue reports whether a word after a flag whose value may be left out could be meant as its value.
func looksLikeValue(flag *pflag.Flag, word string) bool {
	words := []string{"true", "false"}
	if o, is := flag.Value.(*optional); is {
		words = o.words
	}
	if len(words) == 0 {
		return word == "-" || !strings.HasPrefix(word, "-")
	}
	return slices.Contains(words, strings.ToLower(word))
}

func separateValue(name, word string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Err: errUsage,
		Message: fmt.Sprintf("--%s %s: a value of --%s follows an equals sign", name, word, name),
		Remedy:  fmt.Sprintf("write --%s=%s; or, if %s is an argument of its own, write it before --%s", name, word, word, name)}
}

package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// The values of --fix.
const (
	fixNo   = "no"
	fixYes  = "yes"
	fixPlan = "plan"
)

// maxFixRounds is how often documents are read again with corrections: one round finds no more than a hundred errors, and a correction
// can bring others to light.
const maxFixRounds = 1000

// runFix corrects what can be corrected in one way only, and then lints.
func (o *layeringLintOptions) runFix(cmd *cobra.Command, s *session, names []string) error {
	options, err := o.options(cmd)
	if err != nil {
		return err
	}
	if o.fix != fixYes && o.fix != fixPlan {
		return usagef(cmd, "--fix=%s: must be %s or %s", o.fix, fixYes, fixPlan)
	}
	if slices.Contains(names, "-") {
		return usagef(cmd, "--fix corrects files, and not the standard input")
	}
	if s.output == formatJSON {
		return usagef(cmd, "--fix and -o json exclude each other")
	}
	fixed := make(map[string][]byte)
	before := make(map[string][]byte)
	corrections := 0
	var documents []*rendering.Document
	for range maxFixRounds {
		sources := s.layeredFiles(cmd.Context())
		sources.instead = fixed
		if documents, err = sources.read(names); err == nil {
			break
		}
		done := sources.correct(parts(err), before)
		if done == 0 {
			break
		}
		corrections += done
	}
	changed := sortedKeys(fixed)
	paint := s.paintOut()
	for _, name := range changed {
		fmt.Fprint(s.Out, colourDiff(unified(name, name, string(before[name]), string(fixed[name])), paint))
		if o.fix == fixYes {
			if err := overwrite(name, fixed[name]); err != nil {
				return err
			}
		}
	}
	if corrections > 0 || err == nil {
		done := "made"
		if o.fix == fixPlan {
			done = "to make"
		}
		fmt.Fprintf(s.Out, "%s %s in %s\n", count(corrections, "correction"), done, count(len(changed), "file"))
	}
	if err == nil {
		err = o.report(s, documents, options)
	}
	if err != nil {
		return s.refuseLayered(err)
	}
	return different(o.fix == fixPlan && corrections > 0)
}

// correct applies the corrections of errors to the texts of the files, and returns how many there were. The texts that the files had
// first are noted.
func (l *layeredFiles) correct(errs []*dovetail.Error, before map[string][]byte) int {
	errs = slices.DeleteFunc(slices.Clone(errs), func(e *dovetail.Error) bool { return decode.CorrectionOf(e) == nil })
	// From the end, so that the places of the others stay.
	slices.SortStableFunc(errs, func(a, b *dovetail.Error) int {
		x, y := decode.CorrectionOf(a).At, decode.CorrectionOf(b).At
		return cmp.Or(cmp.Compare(y.Line, x.Line), cmp.Compare(y.Column, x.Column))
	})
	done := 0
	for _, e := range errs {
		c := decode.CorrectionOf(e)
		name := e.Position.File
		f := l.files[name]
		if f == nil || f.Secret { // whose text must not be written in plaintext
			continue
		}
		text, ok := yaml.ReplaceScalar(f.Text, c.At, c.Old, c.New)
		if !ok || bytes.Equal(text, f.Text) {
			continue
		}
		if _, noted := before[name]; !noted {
			before[name] = f.Text
		}
		f.Text, l.instead[name] = text, text
		done++
	}
	return done
}

// overwrite writes a file that is there, which keeps its permissions.
func overwrite(name string, text []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return unreadable(name, err)
	}
	if err := os.WriteFile(name, text, info.Mode().Perm()); err != nil {
		return unwritable(err)
	}
	return nil
}

package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// lines are the flags that say how a list is shown: its order, and columns of the table.
type lines struct {
	sortBy     string
	noHeaders  bool
	showLabels bool
	columns    []string // labels, a column each
}

func (o *lines) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.sortBy, "sort-by", "", "sort by the value of a JSONPath, such as .spec.replicas; numbers numerically, missing values first")
	cmd.Flags().BoolVar(&o.noHeaders, "no-headers", false, "omit the header line of tables")
	cmd.Flags().BoolVar(&o.showLabels, "show-labels", false, "show metadata.labels as the last column")
	cmd.Flags().StringSliceVarP(&o.columns, "label-columns", "L", nil, "labels to show as columns, such as tier,zone")
	cmd.Flags().Lookup("label-columns").DefValue = ""
	noFileCompletion(cmd, "sort-by", "label-columns")
}

// sort sorts documents by what the path finds in the manifests of theirs; without a path they stay in the order of their ids.
func (o *lines) sort(documents []*dovetail.Document, item func(*dovetail.Document) (*value.Value, error)) error {
	if o.sortBy == "" {
		return nil
	}
	path, err := newPath("sort-by", completePath(o.sortBy))
	if err != nil {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Err: errUsage, Message: "--sort-by: " + err.Error(), Remedy: "write it as .metadata.name"}
	}
	keys := make(map[dovetail.ID]any, len(documents))
	for _, doc := range documents {
		v, err := item(doc)
		if err != nil {
			return err
		}
		data, err := plain(v)
		if err != nil {
			return err
		}
		found, err := path.FindResults(data)
		if err != nil {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "--sort-by " + o.sortBy + ": " + err.Error(), Remedy: "look at the documents with -o yaml"}
		}
		if len(found) > 0 && len(found[0]) > 0 {
			keys[doc.ID] = found[0][0].Interface()
		}
	}
	if len(documents) > 0 && len(keys) == 0 {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "--sort-by " + o.sortBy + " finds nothing in any of the documents", Remedy: "look at them with -o yaml"}
	}
	slices.SortStableFunc(documents, func(a, b *dovetail.Document) int { return compareKeys(keys[a.ID], keys[b.ID]) })
	return nil
}

// compareKeys orders what is not there before numbers, and those before texts.
func compareKeys(a, b any) int {
	x, xNumber := numberOf(a)
	y, yNumber := numberOf(b)
	switch {
	case a == nil || b == nil:
		return cmp.Compare(boolOf(a != nil), boolOf(b != nil))
	case xNumber && yNumber:
		return cmp.Compare(x, y)
	case xNumber != yNumber:
		return cmp.Compare(boolOf(!xNumber), boolOf(!yNumber))
	}
	return strings.Compare(textOf(a), textOf(b))
}

func boolOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// adjust adds the columns of labels to a table, and takes its first line away; data returns that of a row.
func (o *lines) adjust(t *table, wide bool, data func(row int) (*value.Value, error)) error {
	if len(o.columns) > 0 || o.showLabels {
		if !wide {
			t.narrow()
		}
		for _, name := range o.columns {
			t.header = append(t.header, strings.ToUpper(name[strings.LastIndexByte(name, '/')+1:]))
		}
		if o.showLabels {
			t.header = append(t.header, "LABELS")
		}
		for i := range t.rows {
			v, err := data(i)
			if err != nil {
				return err
			}
			t.rows[i].cells = append(t.rows[i].cells, o.cells(v)...)
		}
	}
	if o.noHeaders {
		t.header = nil
	}
	return nil
}

// cells are those of the labels of a document.
func (o *lines) cells(data *value.Value) []string {
	labels := data.At("metadata", "labels")
	var cells []string
	for _, name := range o.columns {
		text := "<none>"
		if v := labels.Get(name); v != nil {
			text = scalarText(v)
		}
		cells = append(cells, text)
	}
	if !o.showLabels {
		return cells
	}
	var all []string
	if labels != nil {
		for _, m := range labels.Members {
			all = append(all, m.Name+"="+scalarText(m.Value))
		}
	}
	slices.Sort(all)
	return append(cells, cmp.Or(strings.Join(all, ","), "<none>"))
}

// scalarText is a value in a cell.
func scalarText(v *value.Value) string {
	if text, ok := v.Str(); ok {
		return text
	}
	return string(v.JSON())
}

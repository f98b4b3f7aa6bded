package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/store"
)

// Completion must not flood a shell.
const (
	completionNames = 200
	// completionVersions is how many versions or transactions are suggested.
	completionVersions = 20
)

type completion = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// completing runs a completion with what it needs; whatever goes wrong, there is nothing to suggest.
func completing(s *session, t *target, complete func(context.Context, Store, []string, string) ([]cobra.Completion, error)) completion {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), s.CompletionTimeout)
		defer cancel()
		s.completing = true
		st, err := t.open(ctx, s)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer release(st)
		found, err := complete(ctx, st, args, prefix)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeDocuments suggests kinds, then the names of documents of the kind; ids when the first
// argument begins as one.
func completeDocuments(s *session, t *target, a *address) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
		model, err := st.Model(ctx)
		switch {
		case err != nil:
			return nil, err
		case len(args) == 0 && strings.Contains(prefix, "/"), len(args) > 0 && strings.Contains(args[0], "/"):
			return idsBelow(ctx, st, prefix)
		case len(args) == 0:
			return kindNames(ctx, st, prefix)
		}
		kind, err := manifest.NewKinds(model).Find(args[0])
		if err != nil {
			return nil, err
		}
		given, err := a.given(kind)
		if err != nil {
			return nil, err
		}
		sel := &selection{kind: kind}
		sel.under, sel.parts = split(kind, given)
		if len(sel.parts) > 0 {
			return nil, nil // names would have gaps
		}
		return documentNames(ctx, st, store.ListQuery{Kind: kind.Name, Under: sel.under}, prefix, func(id dovetail.ID) string {
			return shortName(id, sel.under)
		})
	})
}

func completeIDs(s *session, t *target) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
		if len(args) > 0 {
			return nil, nil
		}
		return idsBelow(ctx, st, prefix)
	})
}

func completeKinds(s *session, t *target) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
		if len(args) > 0 {
			return nil, nil
		}
		return kindNames(ctx, st, prefix)
	})
}

func kindNames(ctx context.Context, st Store, prefix string) ([]cobra.Completion, error) {
	model, err := st.Model(ctx)
	if err != nil {
		return nil, err
	}
	var found []cobra.Completion
	for _, kind := range model.Kinds() {
		if !kind.Abstract && strings.HasPrefix(strings.ToLower(kind.Name), strings.ToLower(prefix)) {
			found = append(found, cobra.CompletionWithDesc(kind.Name, kind.Description))
		}
	}
	return found, nil
}

// idsBelow suggests the ids one level below what the prefix has in full.
func idsBelow(ctx context.Context, st Store, prefix string) ([]cobra.Completion, error) {
	segments := strings.Split(prefix, "/")
	whole := dovetail.ID(strings.Join(segments[:(len(segments)-1)/2*2], "/"))
	root, err := st.Tree(ctx, whole, 1, completionNames)
	if err != nil {
		return nil, err
	}
	var found []cobra.Completion
	for _, child := range root.Children {
		if strings.HasPrefix(string(child.ID), prefix) {
			found = append(found, string(child.ID))
		}
	}
	return found, nil
}

func documentNames(ctx context.Context, st Store, q store.ListQuery, prefix string, name func(dovetail.ID) string) ([]cobra.Completion, error) {
	var found []cobra.Completion
	for doc, err := range st.Documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		if text := name(doc.ID); strings.HasPrefix(text, prefix) {
			if found = append(found, text); len(found) == completionNames {
				break
			}
		}
	}
	return found, nil
}

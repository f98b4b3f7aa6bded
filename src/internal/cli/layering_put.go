package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/value"
)

// Buckets is a server that keeps layered documents. *client.Client is one.
type Buckets interface {
	PutBuckets(ctx context.Context, body []byte, dryRun bool) (answer []byte, revision string, err error)
}

type layeringPutOptions struct {
	target     target
	ifRevision int
	dryRun     bool
}

func newLayeringPutCommand(s *session) *cobra.Command {
	var o layeringPutOptions
	cmd := &cobra.Command{
		Use:   "put BUCKET=[FILE|DIRECTORY|-]...",
		Short: "Put the contents of buckets on a server, in one revision",
		Long: `Replace the documents of buckets on a server by those of files, in one revision: all of them, or none. A bucket that is
given several times gets all its files, and BUCKET= without a file empties it. Other buckets stay, and a document that
one of the given buckets had can move to another.

With --if-revision, it is refused if there is a newer revision than that. --dry-run shows what would change of the
rendered documents, and writes nothing.`,
		Example: `  dovetail layering put global=global/ site=site/ --dry-run
  dovetail layering put global=global/ site=site/ --if-revision 4`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.serverFlag(cmd)
	s.ageKeyFlag(cmd)
	cmd.Flags().IntVar(&o.ifRevision, "if-revision", 0, "refuse if this is not the number of the newest revision; 0 for none yet")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would change, and write nothing")
	noFileCompletion(cmd, "if-revision")
	return cmd
}

func (o *layeringPutOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if err := s.only(cmd, formatYAML); err != nil {
		return err
	}
	buckets, err := s.readBuckets(cmd, args)
	if err != nil {
		return err
	}
	body := value.NewMap()
	if cmd.Flags().Changed("if-revision") {
		body.Set("ifRevision", value.NewNumber(int64(o.ifRevision)))
	}
	body.Set("buckets", buckets)
	server, done, err := openServer[Buckets](cmd.Context(), s, &o.target, "keeps buckets of layered documents")
	if err != nil {
		return err
	}
	defer done()
	answer, revision, err := server.PutBuckets(cmd.Context(), yaml.Marshal(body), o.dryRun)
	if err != nil {
		return layeringRefusal(err)
	}
	switch {
	case o.dryRun, s.output == formatYAML:
		_, err := s.Out.Write(answer)
		return err
	default:
		fmt.Fprintf(s.Out, "revision %s: %s\n", revision, count(len(buckets.Members), "bucket"))
	}
	return nil
}

// readBuckets reads the documents of each bucket that arguments name.
func (s *session) readBuckets(cmd *cobra.Command, args []string) (*value.Value, error) {
	buckets := value.NewMap()
	if n := slices.IndexFunc(args, func(arg string) bool { return !strings.Contains(arg, "=") || strings.HasPrefix(arg, "=") }); n >= 0 {
		return nil, usagef(cmd, "%s: must be BUCKET=FILE", args[n])
	}
	for _, arg := range args {
		bucket, name, _ := strings.Cut(arg, "=")
		documents := buckets.Get(bucket)
		if documents == nil {
			documents = value.NewList()
			buckets.Set(bucket, documents)
		}
		if name == "" {
			continue
		}
		files, err := expand([]string{name}, isLayeredFile)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the directory " + name + " has no documents", Remedy: "to empty the bucket, write " + bucket + "="}
		}
		for _, file := range files {
			text, err := s.readInput(file)
			if err != nil {
				return nil, err
			}
			read, err := s.parseBucket(&krm.File{Name: positionName(file), Text: text})
			if err != nil {
				return nil, err
			}
			documents.Items = append(documents.Items, read...)
		}
	}
	return buckets, nil
}

// layeringRefusal is the error of the layering service with what its answer says.
func layeringRefusal(err error) error {
	var failure *client.LayeringFailure
	if !errors.As(err, &failure) {
		return err
	}
	read, parseErr := yaml.Parse("", failure.Text, value.Limits{})
	if parseErr != nil || len(read) != 1 {
		return err
	}
	of := *dovetail.AsError(err)
	text := func(v *value.Value, name string) string { t, _ := v.Get(name).Str(); return t }
	if message := text(read[0], "message"); message != "" {
		of.Message = message
	}
	details := read[0].At("details", "messageList")
	if details == nil {
		return &of
	}
	var parts dovetail.Errors
	for _, m := range details.Items {
		// Lines are those of the body, and not of the files.
		source := text(m, "source")
		at := dovetail.Position{}
		if i := strings.Index(source, "/"); i >= 0 {
			at.Path = source[i:]
		}
		parts.Add(&dovetail.Error{Code: of.Code, Reason: text(m, "name"), Message: text(m, "message"), Remedy: text(m, "diagnostic"), Position: at})
	}
	what, _, _ := strings.Cut(of.Message, ": ") // without the number of errors
	return parts.Err(what)
}

package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type sdProcessOptions struct {
	target
	repository  string
	environment string
	params      []string
	artifacts   string
	hosts       []string
	keys        string
	copyTo      string
	enforce     bool
}

// localToSDProcess are the flags for files of this machine.
var localToSDProcess = []string{"artifact-dir", "artifact-hosts", "artifacts-out", "credential-keys", "enforce-namespaces"}

func newSDProcessCommand(s *session) *cobra.Command {
	var o sdProcessOptions
	cmd := &cobra.Command{
		Use:   "process --repo DIR|--server URL|--context NAME --env CLUSTER/ENV",
		Short: "Update the solution descriptors of an environment",
		Long: `Process the parameters of a pipeline: take SDs from artifacts or from the parameters themselves,
merge several SDs into one, merge the result into the environment's full SD or replace it, and write

  environments/<cluster>/<env>/Inventory/solution-descriptor/sd.yml
  environments/<cluster>/<env>/Inventory/solution-descriptor/delta_sd.yml

in the instance repository of --repo, or the documents of the server of --server or --context. Both files change, or neither. Comments in sd.yml are preserved together with their content.

Artifacts come from --artifact-dir, or else from the registries that the repository defines: in AppDefs and RegDefs of the
environment, configuration/artifact_definitions, appdefs and regdefs, with the credentials of
configuration/credentials/credentials.yml. Those that are encrypted need --credential-keys.

A server downloads artifacts from the registries in its definitions. If it is attached to a Git repository, --message is the commit message.

The parameters come from the environment; --param takes precedence. Empty parameters are treated as missing.

  ` + strings.Join(sd.ParamNames(), "\n  "),
		Example: `  SD_SOURCE_TYPE=artifact SD_VERSION=solution:0.64.1 dovetail sd process --repo . --env cluster-01/env-01 --artifact-dir sds
  dovetail sd process --server http://127.0.0.1:8080 --env cluster-01/env-01 --param SD_VERSION=solution:0.64.1 --message "Update to 0.64.1"
  dovetail sd process --repo . --env cluster-01/env-01 --param SD_MERGE_MODE=extended-merge --param SD_DATA='{"applications": [...]}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.repository, "repo", "", "folder of the instance repository")
	flags.StringVar(&o.environment, "env", "", "the environment, as <cluster>/<environment>")
	flags.StringArrayVar(&o.params, "param", nil, "a parameter, as NAME=VALUE; may be repeated")
	flags.StringVar(&o.artifacts, "artifact-dir", "", "folder with artifacts as <application>-<version>.json, .yaml or .yml")
	flags.StringSliceVar(&o.hosts, "artifact-hosts", nil, "hosts that artifacts may be downloaded from beside those that the repository defines, as [http://]HOST[:PORT]: needed without TLS, and at reserved addresses such as loopback")
	credentialKeysFlag(cmd, &o.keys)
	flags.StringVar(&o.copyTo, "artifacts-out", "", "folder to write copies of both files to")
	flags.BoolVar(&o.enforce, "enforce-namespaces", false, "refuse applications whose deployPostfix belongs to no namespace")
	cmd.MarkFlagsMutuallyExclusive("artifact-dir", "artifact-hosts")
	o.serverFlagAs(cmd, "URL of the server, instead of --repo")
	s.messageFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("repo", "server")
	for _, local := range localToSDProcess {
		cmd.MarkFlagsMutuallyExclusive("server", local)
	}
	cmd.MarkFlagsMutuallyExclusive("repo", "message")
	check(cmd.MarkFlagRequired("env"))
	for _, name := range []string{"repo", "artifact-dir", "artifacts-out"} {
		check(cmd.MarkFlagDirname(name))
	}
	noFileCompletion(cmd, "env", "param", "artifact-hosts")
	return cmd
}

// credentialKeysFlag adds the file of keys to a verb that reads credentials.
func credentialKeysFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "credential-keys", "", "file with the keys for encrypted credentials, one per line: Fernet keys, and age identities for SOPS")
}

func (o *sdProcessOptions) run(cmd *cobra.Command, s *session) error {
	if err := s.only(cmd, formatName, formatJSON); err != nil {
		return err
	}
	switch {
	case o.server != "" || s.context != "":
		for _, local := range localToSDProcess {
			if cmd.Flags().Changed(local) {
				return usagef(cmd, "--%s is for --repo, not for a server", local)
			}
		}
		return o.runOnServer(cmd, s)
	case o.repository == "":
		return usagef(cmd, "one of --repo, --server and --context is required")
	}
	job, err := o.job(cmd, s)
	if err != nil {
		return s.refuse(err)
	}
	repository, err := instancerepo.Open(o.repository)
	if err != nil {
		return err
	}
	if job.Artifacts, err = o.source(repository, job.Environment); err != nil {
		return err
	}
	report, err := repository.ProcessDescriptors(cmd.Context(), *job)
	if err != nil {
		return s.refuse(err)
	}
	s.warnOf(report.Warnings)
	if s.output == formatJSON {
		s.writeJSON(sdResult{Files: report.Files, Warnings: api.NewMessages(report.Warnings),
			Result: value.NewMap(value.Member{Name: "full", Value: report.Full.Value()}, value.Member{Name: "delta", Value: valueOrNull(report.Delta)})})
		return nil
	}
	result := shown{table: table{header: []string{"FILE", "EFFECT", "APPLICATIONS"}}}
	for i, file := range report.Files {
		descr := report.Full
		if i > 0 {
			descr = report.Delta
		}
		result.table.add(file.Path, string(file.Effect), strconv.Itoa(len(descr.Value().Get("applications").Items)))
		result.names = append(result.names, file.Path)
	}
	s.show(result)
	return nil
}

// Descriptors is a server that processes solution descriptors. *client.Client is one.
type Descriptors interface {
	ProcessDescriptors(ctx context.Context, environment string, parameters map[string]string, options store.Options) (*client.ProcessedDescriptors, error)
}

// runOnServer has a server process them.
func (o *sdProcessOptions) runOnServer(cmd *cobra.Command, s *session) error {
	environment, err := inventory.ParseEnvironment(o.environment)
	if err != nil {
		return usageError(cmd, err)
	}
	params, err := o.parameters(cmd, s)
	if err != nil {
		return err
	}
	server, done, err := openServer[Descriptors](cmd.Context(), s, &o.target, "processes solution descriptors")
	if err != nil {
		return err
	}
	defer done()
	processed, err := server.ProcessDescriptors(cmd.Context(), environment.String(), params, store.Options{Message: s.message})
	if err != nil {
		return s.refuse(err)
	}
	for _, w := range processed.Warnings {
		s.warnOf([]*dovetail.Error{{Reason: w.Code, Message: w.Message, Remedy: w.Remedy, Position: dovetail.Position{File: w.File, Line: w.Line, Column: w.Column, Path: w.Path}}})
	}
	if s.output == formatJSON {
		s.writeJSON(processed)
		return nil
	}
	result := shown{table: table{header: []string{"DOCUMENT", "EFFECT"}}}
	for _, part := range []struct {
		name    string
		written *client.ProcessedDescriptor
	}{{"full", processed.Full}, {"delta", processed.Delta}} {
		if part.written != nil {
			id := string(environment.ID().Child("solutionDescriptor", part.name))
			result.table.add(id, string(part.written.Effect))
			result.names = append(result.names, id)
		}
	}
	s.show(result)
	return nil
}

// job makes the job of flags and parameters.
func (o *sdProcessOptions) job(cmd *cobra.Command, s *session) (*instancerepo.DescriptorJob, error) {
	environment, err := inventory.ParseEnvironment(o.environment)
	if err != nil {
		return nil, usageError(cmd, err)
	}
	params, err := o.parameters(cmd, s)
	if err != nil {
		return nil, err
	}
	request, err := sd.ParseRequest(params)
	if err != nil {
		return nil, err
	}
	request.EnforceNamespaces = o.enforce
	return &instancerepo.DescriptorJob{Environment: environment, Request: request, CopyTo: o.copyTo}, nil
}

// source is where artifacts come from: a folder, or the registries that the repository defines.
func (o *sdProcessOptions) source(repository *instancerepo.Repository, e inventory.Environment) (sd.Artifacts, error) {
	if o.artifacts != "" {
		return artifact.Folder(o.artifacts), nil
	}
	hosts, err := outbound.ParseHosts(o.hosts)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "--artifact-hosts: " + err.Error(), Remedy: "write [http://]HOST[:PORT]"}
	}
	definitions := instancerepo.Definitions{Repository: repository, Environment: e}
	stored := artifact.Stored{Documents: definitions, Registries: definitions.Registries}
	if o.keys != "" {
		if stored.Keys, err = ciphertext.ReadKeys(o.keys); err != nil {
			return nil, err
		}
	}
	return artifact.NewMaven(stored, artifact.MavenOptions{Policy: outbound.NewPolicy(hosts, "--artifact-hosts")}), nil
}

// parameters gathers the parameters from the environment and, over it, from the command line.
func (o *sdProcessOptions) parameters(cmd *cobra.Command, s *session) (map[string]string, error) {
	params := make(map[string]string)
	for _, name := range sd.ParamNames() {
		params[name] = s.env(name)
	}
	for _, param := range o.params {
		name, text, ok := strings.Cut(param, "=")
		if !ok || !slices.Contains(sd.ParamNames(), name) {
			return nil, usagef(cmd, "--param %s: must be NAME=VALUE with one of the names %s", name, strings.Join(sd.ParamNames(), ", "))
		}
		params[name] = text
	}
	return params, nil
}

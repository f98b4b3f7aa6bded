package cli

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/value"
)

type generateOptions struct {
	repository, environment string
	out, sboms              string
	session                 string
	custom                  string
	consumers               []string
	keys                    string
	delta, mode             string
	validate, check         bool

	files     fs.FS                 // of the repository
	encrypter *ciphertext.Encrypter // of files with credentials, where SOPS encrypted those of the environment
}

func newEffectiveSetGenerateCommand(s *session) *cobra.Command {
	var o generateOptions
	cmd := &cobra.Command{
		Use:   "generate --repo DIR --env CLUSTER/ENV --out DIR",
		Short: "Calculate an effective set as EnvGene's pipeline writes it",
		Long: `Calculate the effective set of an environment from an instance repository and the SBOMs of its applications, without a
server: the same files, byte for byte, as EnvGene's calculator writes in version 2.0. Files in --out that do not belong to the set are removed.

If an application fails, the others are still written; all errors are shown, each with its file and line, and the exit code
is not 0. Warnings report values without effect, secrets in plain files, and merged lists.

With --check nothing is written: the set is compared with the one in --out (default the one in the repository), and the exit code is 1 when they
differ. The default of --session is that of the compared set.

With --delta-sd only the part that a delta SD affects is calculated, and merged into the existing set, as in the pipeline: topology, pipeline, the
cleanup of the delta's namespaces, and its applications; with --merge-mode basic-exclusion-merge these are removed. Parts that are kept, but would
now be calculated differently, are reported. The full set is calculated with the mode replace, and if configuration/config.yml has effective_set_generation_strategy: full.

Encrypted credentials require the key: SECRET_KEY in the environment, as in EnvGene, or --credential-keys. Into a repository that encrypts
(crypt in configuration/config.yml) credentials are written encrypted, or not at all: with SOPS for the recipients of the environment's
credentials if these are, and otherwise with Fernet.`,
		Example: `  dovetail effective-set generate --repo . --env cluster-01/env-01 --out /tmp/effective-set
  dovetail effective-set generate --repo . --env cluster-01/env-01 --check`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.repository, "repo", "", "folder of the instance repository")
	flags.StringVar(&o.environment, "env", "", "the environment, as <cluster>/<environment>")
	flags.StringVar(&o.out, "out", "", "folder of the effective set")
	flags.StringVar(&o.sboms, "sboms", "", "folder with APP/APP-VERSION.sbom.json (default sboms of the repository)")
	flags.StringVar(&o.session, "session", "", "value of DEPLOYMENT_SESSION_ID (default a random UUID)")
	flags.StringVar(&o.custom, "custom-params", "", "parameters for this run: a `FILE` of JSON, or the JSON itself")
	flags.StringArrayVar(&o.consumers, "consumer-schema", nil, "JSON Schema of a consumer of the pipeline context; may be repeated")
	flags.StringVar(&o.keys, "credential-keys", "", "file with the keys for encrypted credentials, one per line: Fernet keys, and age identities for SOPS")
	flags.StringVar(&o.delta, "delta-sd", "", "`FILE` of the delta SD whose part is calculated")
	flags.StringVar(&o.mode, "merge-mode", string(sd.BasicMerge), "how the delta SD was merged: "+strings.Join(modeNames(), ", "))
	flags.BoolVar(&o.validate, "app-chart-validation", false, "refuse applications without a chart")
	flags.BoolVar(&o.check, "check", false, "compare with the existing set, and write nothing")
	for _, name := range []string{"repo", "env"} {
		check(cmd.MarkFlagRequired(name))
	}
	for _, name := range []string{"repo", "out", "sboms"} {
		check(cmd.MarkFlagDirname(name))
	}
	noFileCompletion(cmd, "env", "session")
	check(cmd.RegisterFlagCompletionFunc("merge-mode", cobra.FixedCompletions(modeNames(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (o *generateOptions) run(cmd *cobra.Command, s *session) error {
	env, err := inventory.ParseEnvironment(o.environment)
	if err != nil {
		return usageError(cmd, err)
	}
	if o.out == "" && !o.check {
		return usagef(cmd, "--out names the folder to write to; --check needs none")
	}
	if o.out == "" {
		o.out = filepath.Join(o.repository, "environments", env.Cluster, env.Name, "effective-set")
	}
	in, err := o.input(s)
	if err != nil {
		return err
	}
	in.Cluster, in.Name = env.Cluster, env.Name
	before, err := readSet(o.out)
	if err != nil {
		return err
	}
	if in.Session == "" && o.check {
		in.Session = sessionOf(before)
	}
	if in.Session == "" {
		if in.Session, err = s.newUUID(); err != nil {
			return err
		}
	}
	set, failed := o.calculate(s, in, before)
	if set == nil {
		return failed
	}
	if o.check {
		return o.compare(s, set, before, failed)
	}
	if err := o.encryptFiles(set, before); err != nil {
		return err
	}
	if err := writeSet(o.out, set, before); err != nil {
		return err
	}
	o.show(s, set)
	return failed
}

// input reads what the set is calculated from.
func (o *generateOptions) input(s *session) (effectiveset.Input, error) {
	o.files = instancerepo.DirFS(o.repository)
	in := effectiveset.Input{Repo: o.files, Session: o.session, ChartValidation: o.validate, Consumers: make(map[string]*value.Value)}
	if !isFolder(o.repository) {
		return in, notAFolder(o.repository)
	}
	if o.sboms != "" {
		if !isFolder(o.sboms) {
			return in, notAFolder(o.sboms)
		}
		in.SBOMs = instancerepo.DirFS(o.sboms)
	} else if sboms := filepath.Join(o.repository, sbomsFolder); isFolder(sboms) {
		if _, err := fs.Stat(o.files, sbomsFolder); err != nil {
			return in, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: sbomsFolder}, Message: "it is a symbolic link that leads out of the repository", Remedy: "name the folder that is meant with --sboms", Err: err}
		}
		in.SBOMs = instancerepo.DirFS(sboms)
	}
	if o.custom != "" {
		name, text := "--custom-params", []byte(o.custom)
		if !strings.HasPrefix(strings.TrimSpace(o.custom), "{") {
			var err error
			if text, err = s.readInput(o.custom); err != nil {
				return in, err
			}
			name = o.custom
		}
		var err error
		if in.Custom, err = parseObject(name, text); err != nil {
			return in, err
		}
	}
	for _, file := range o.consumers {
		text, err := s.readInput(file)
		if err != nil {
			return in, err
		}
		if in.Consumers[filepath.Base(file)], err = parseObject(file, text); err != nil {
			return in, err
		}
	}
	return in, o.encryption(s, &in)
}

// sbomsFolder is that of a repository.
const sbomsFolder = "sboms"

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func notAFolder(name string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "it is no folder", Remedy: "name one that exists"}
}

// parseObject reads a JSON object.
func parseObject(name string, text []byte) (*value.Value, error) {
	v, err := value.ParseJSON(text, value.Limits{})
	if err == nil && v.Kind != value.Map {
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: "it is a " + v.Kind.String() + ", not an object"}
	}
	if err != nil {
		return nil, inFlag(err, name)
	}
	return v, nil
}

// encryption says how credentials are opened, and, in a repository that encrypts, how they are written.
func (o *generateOptions) encryption(s *session, in *effectiveset.Input) error {
	keys, err := o.readKeys(s)
	if err != nil {
		return err
	}
	if keys != nil {
		in.Open, in.OpenFile = keys.Open, keys.OpenFile
	}
	encrypts, err := o.intoEncrypted()
	if err != nil || !encrypts || o.check {
		return err
	}
	if o.encrypter, err = o.encrypterOf(keys); err != nil || o.encrypter != nil {
		return err
	}
	if !keys.CanSeal() {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: o.out}, Message: "the folder is in a repository that encrypts credentials, and there is no key to encrypt them with",
			Remedy: "set SECRET_KEY or give --credential-keys, write to another folder, or say crypt: false in configuration/config.yml"}
	}
	in.Seal = keys.Seal
	return nil
}

func (o *generateOptions) readKeys(s *session) (*ciphertext.Keys, error) {
	if o.keys != "" {
		return ciphertext.ReadKeys(o.keys)
	}
	if key := s.env("SECRET_KEY"); key != "" {
		return ciphertext.ParseKeys("SECRET_KEY", []byte(key))
	}
	return nil, nil
}

// intoEncrypted reports whether what is written goes into a repository that encrypts.
func (o *generateOptions) intoEncrypted() (bool, error) {
	root, err := filepath.Abs(o.repository)
	if err != nil {
		return false, unreadable(o.repository, err)
	}
	out, err := filepath.Abs(o.out)
	if err != nil {
		return false, unreadable(o.out, err)
	}
	within, err := filepath.Rel(root, out)
	if err != nil {
		return false, unreadable(o.out, err)
	}
	if within == ".." || strings.HasPrefix(within, "../") {
		return false, nil
	}
	config, err := o.config()
	if err != nil || config == nil {
		return true, err
	}
	crypt := config.Get("crypt")
	return crypt == nil || crypt.Text != "false", nil
}

// config is the configuration of the repository; nil if it has none.
func (o *generateOptions) config() (*value.Value, error) {
	_, config, err := instancerepo.ReadMap(o.files, "configuration/config")
	return config, err
}

// setFolders are what an effective set has at its top.
var setFolders = []string{"topology", "pipeline", "deployment", "runtime", "cleanup", "external-credential"}

// readSet reads the files of a set, none if there is none. A folder with anything else is none.
func readSet(folder string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	entries, err := os.ReadDir(folder)
	if os.IsNotExist(err) {
		return files, nil
	}
	if err != nil {
		return nil, unreadable(folder, err)
	}
	for _, e := range entries {
		if !slices.Contains(setFolders, e.Name()) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: filepath.Join(folder, e.Name())}, Message: "it is no part of an effective set, and the folder of one has nothing else",
				Remedy: "name an empty folder, or that of an effective set: what does not belong to the set is removed there"}
		}
	}
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = os.ReadFile(filepath.Join(folder, name))
		return err
	})
	if err != nil {
		return nil, unreadable(folder, err)
	}
	return files, nil
}

// sessionOf is the DEPLOYMENT_SESSION_ID of a set, "" if it has none.
func sessionOf(files map[string][]byte) string {
	const member = "DEPLOYMENT_SESSION_ID: "
	for _, text := range files {
		for line := range strings.Lines(string(text)) {
			if rest, found := strings.CutPrefix(strings.TrimSpace(line), member); found {
				return strings.Trim(rest, "'\"")
			}
		}
	}
	return ""
}

// newUUID returns a random one.
func (s *session) newUUID() (string, error) {
	var b [16]byte
	from := s.Random
	if from == nil {
		from = rand.Reader
	}
	if _, err := io.ReadFull(from, b[:]); err != nil {
		return "", &dovetail.Error{Code: dovetail.CodeInternal, Message: "there is no random number", Err: err}
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return fmt.Sprintf("%s-%s-%s-%s-%s", text[:8], text[8:12], text[12:16], text[16:20], text[20:]), nil
}

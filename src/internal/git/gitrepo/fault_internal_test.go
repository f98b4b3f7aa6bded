package gitrepo

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A remote that is given up is not one that its caller gave up, and no error tells the password.
func TestUnreachable(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		want dovetail.Code
	}{
		{"it says nothing", t.Context(), fmt.Errorf("reading: %w", context.DeadlineExceeded), dovetail.CodeUnavailable},
		{"the caller went", gone, fmt.Errorf("reading: %w", context.Canceled), dovetail.CodeCanceled},
		{"why is told, and no secret", t.Context(), fmt.Errorf("Get \"https://ann:secret@example.com/r.git/info/refs\": refused"), dovetail.CodeUnavailable},
		{"the caller went first", gone, context.DeadlineExceeded, dovetail.CodeCanceled},
	}
	r := &Repository{options: Options{URL: "https://ann:secret@example.com/r.git"}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := r.unreachable(test.ctx, test.err)
			if dovetail.CodeOf(err) != test.want || strings.Contains(fmt.Sprintf("%+v", err), "secret") {
				t.Errorf("%v, want %s", err, test.want)
			}
			if strings.HasPrefix(test.name, "why") && !strings.Contains(dovetail.AsError(err).Message, "refused") {
				t.Errorf("%v does not say why", err)
			}
		})
	}
}

// TestOutsideOfGit: a clone whose disk is full or fails, and a process without descriptors, are no defects of Dovetail, whatever step meets
// them, and the reason is told.
func TestOutsideOfGit(t *testing.T) {
	r := &Repository{options: Options{URL: "https://example.com/r.git", Dir: "/clones/r.git"}}
	for errno, reason := range map[error]string{
		syscall.ENOSPC: dovetail.ReasonDiskFull, syscall.EDQUOT: dovetail.ReasonDiskFull, syscall.EROFS: dovetail.ReasonReadOnly,
		syscall.EIO: dovetail.ReasonDiskFails, syscall.EMFILE: dovetail.ReasonTooManyFiles,
	} {
		cause := &fs.PathError{Op: "write", Path: "/clones/r.git/objects/pack/tmp", Err: errno}
		for step, err := range map[string]error{
			"a clone": broken(r.options.Dir, cause), "a fetch": r.unreachable(t.Context(), fmt.Errorf("receiving: %w", cause)),
			"what go-git does not expect": r.unreachable(t.Context(), plumbing.NewUnexpectedError(cause)),
		} {
			e := dovetail.AsError(err)
			if e.Code != dovetail.CodeUnavailable || e.Reason != reason || e.Remedy == "" || e.Position.File != r.options.Dir {
				t.Errorf("%v in %s: %+v", errno, step, e)
			}
		}
	}
	if e := dovetail.AsError(broken("/clones/r.git", plumbing.ErrObjectNotFound)); e.Code != dovetail.CodeInternal {
		t.Errorf("a damaged clone: %+v", e)
	}
}

func TestWithoutCredentials(t *testing.T) {
	tests := []struct{ name, url, want string }{
		{name: "a password", url: "https://ann:secret@example.com/r.git", want: "https://example.com/r.git"},
		{name: "a token in the place of the user", url: "https://secret@example.com/r.git", want: "https://example.com/r.git"},
		{name: "a user of ssh", url: "ssh://git:secret@example.com/r.git", want: "ssh://git@example.com/r.git"},
		{name: "as scp writes it", url: "git@example.com:r.git", want: "git@example.com:r.git"},
		{name: "a folder", url: "/srv/r.git", want: "/srv/r.git"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := WithoutCredentials(tt.url); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestCloneOfEarlierVersion opens a clone whose remote has the user of the URL still, which earlier versions kept, and forgets the user.
func TestCloneOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	made, err := git.PlainInitWithOptions(dir, &git.PlainInitOptions{Bare: true, InitOptions: git.InitOptions{DefaultBranch: "refs/heads/main"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Storer.SetReference(plumbing.NewHashReference("refs/heads/main", plumbing.NewHash(strings.Repeat("1", 40)))); err != nil {
		t.Fatal(err)
	}
	if _, err := made.CreateRemote(&config.RemoteConfig{Name: remoteName, URLs: []string{"https://secret@example.com/r.git"}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, url string
		want      dovetail.Code
	}{
		{name: "another repository", url: "https://example.com/other.git", want: dovetail.CodeConflict},
		{name: "the same", url: "https://ann:secret@example.com/r.git"},
	} {
		r := &Repository{options: Options{URL: tt.url, Dir: dir}, branch: "refs/heads/main"}
		if err := r.open(); dovetail.CodeOf(err) != tt.want || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "config")); err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("%v %s", err, text)
	}
}

package gitrepo_test

import (
	"context"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
)

// One change of two files becomes one commit, which is then the version of both.
func Example() {
	ctx := context.Background()
	repository, err := gitrepo.Open(ctx, gitrepo.Options{URL: "https://git.example.com/instances.git", Branch: "main", Dir: "/var/lib/dovetail/instances"})
	if err != nil {
		fmt.Println(err)
		return
	}
	version, err := repository.Change(ctx, gitrepo.Change{Name: "Ann", Email: "ann@example.com", Message: "Log more", Edit: func(d *gitrepo.Draft) error {
		if err := d.Write("a.yml", []byte("level: debug\n")); err != nil {
			return err
		}
		return d.Remove("b.yml")
	}})
	if dovetail.CodeOf(err) == dovetail.CodeConflict {
		fmt.Println("another commit was pushed; the head is now", repository.Head())
		return
	}
	fmt.Println(version, err)
}

package layering

import (
	"context"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Precondition is what must hold of the newest revision for a write to be made; the zero value always holds. Of documents
// that the principal may not read it says nothing.
type Precondition struct {
	// Revision, unless nil, is the number of the newest revision.
	Revision *int
	// Since lists numbers of revisions one of which has the buckets as the newest has them.
	Since []string
	// Exists says that each bucket has documents, New that none has any.
	Exists, New bool
}

// meets returns CodeStale unless the precondition holds.
func (r *Revisions) meets(ctx context.Context, sc scope, p Precondition, newest *Revision, contents []Content) error {
	if p.Revision != nil && *p.Revision != newest.Number {
		return stale("the newest revision is " + strconv.Itoa(newest.Number) + ", not " + strconv.Itoa(*p.Revision))
	}
	if !p.Exists && !p.New && len(p.Since) == 0 {
		return nil
	}
	visible := sc.visible(newest)
	for _, c := range contents {
		is := visible.index.ofBucket(c.Bucket)
		if len(is) > 0 && p.New {
			return stale("the bucket " + c.Bucket + " has documents already")
		}
		if p.Exists && len(is) > 0 || !p.Exists && len(p.Since) == 0 {
			continue
		}
		same, err := r.since(ctx, sc, p.Since, func(x index) bool { return sameEntries(x.ofBucket(c.Bucket), is) })
		if err != nil {
			return err
		}
		if !same {
			return stale("the bucket " + c.Bucket + " has changed: the newest revision is " + strconv.Itoa(newest.Number))
		}
	}
	return nil
}

// since reports whether one of the revisions is as wanted, as far as the principal may read it.
func (r *Revisions) since(ctx context.Context, sc scope, versions []string, wanted func(index) bool) (bool, error) {
	for _, text := range versions {
		number, err := strconv.Atoi(text)
		if err != nil || number < 0 {
			continue // no version of a bucket
		}
		of, err := r.Revision(ctx, number)
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			continue
		}
		if err != nil {
			return false, err
		}
		if wanted(sc.visible(of).index) {
			return true, nil
		}
	}
	return false, nil
}

func stale(why string) error {
	return &dovetail.Error{Code: dovetail.CodeStale, Message: why, Remedy: "read it again, and put what you change of that"}
}

// ofBucket are the entries of a bucket, in order.
func (x index) ofBucket(bucket string) []entry {
	return x.where(func(e entry) bool { return e.bucket == bucket })
}

// sameEntries reports whether two buckets hold the same documents, written at the same time.
func sameEntries(a, b []entry) bool {
	return slices.EqualFunc(a, b, func(a, b entry) bool { return a.id == b.id && a.content == b.content && a.since == b.since })
}

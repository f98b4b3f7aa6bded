package layering

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The classes of errors that this package adds to those of package rendering. They are reasons of errors.
const (
	ClassRevisionNotFound   = "RevisionNotFound"
	ClassTagNotFound        = "RevisionTagNotFound"
	ClassTagBadFormat       = "RevisionTagBadFormat"
	ClassValidationNotFound = "ValidationNotFound"
	ClassInvalidInput       = "InvalidInputException" // a number of a revision that is none
	ClassInvalidParam       = "HTTPInvalidParam"      // a parameter of the query
	ClassDocumentInUse      = "DocumentInUse"         // a removal would break other documents; BlockedBy names them
)

// Store is where revisions are kept. *store.Store is one; its methods are described there.
type Store interface {
	GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error)
	List(ctx context.Context, q store.ListQuery) (*store.Page, error)
	Allowed(ctx context.Context, right dovetail.Right, id dovetail.ID) (bool, error)
	Readable(ctx context.Context) func(kind string, id dovetail.ID) bool
	ReadsAll(ctx context.Context, kinds ...string) bool
	DeletesAll(ctx context.Context, kinds ...string) bool
	Replay(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
	keyring.Store
}

// Options configure Revisions. The zero value is ready to use.
type Options struct {
	// Keys protects the keys of encrypted documents; without it they are refused.
	Keys envelope.Wrapper
	// Profile says whose clients the service answers; default rendering.ProfileDovetail.
	Profile rendering.Profile
	// Policy gives rights by a policy file of Deckhand; nil gives none.
	Policy Policy
	// CacheDocuments bounds how many documents of rendered revisions stay in memory; default 12,000. That of
	// one revision always stays.
	CacheDocuments int
	// Random is where keys and nonces come from; default crypto/rand.
	Random io.Reader
	// NewName gives a new name at random, for the content of encrypted documents; default 26 letters and digits.
	NewName func() string
}

// Revisions are all revisions of layered documents in a store. It is safe for concurrent use, by any number of
// processes on one database.
type Revisions struct {
	store   Store
	options Options
	keyring *keyring.Keyring
	cache   *cache
	reading turns              // of indexes, by the revision, and of sites, by their digest
	leaving singleflight.Group // what is left of deleted revisions
}

// New returns the revisions in a store.
func New(s Store, o Options) *Revisions {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.NewName == nil {
		o.NewName = func() string { return strings.ToLower(rand.Text()) }
	}
	o.CacheDocuments = cmp.Or(o.CacheDocuments, 12_000)
	return &Revisions{store: s, options: o, cache: &cache{limit: o.CacheDocuments}, keyring: keyring.New(s, o.Keys, o.Random)}
}

// Revision is a state of all buckets. Revision 0 is the one before the first: it has no documents.
type Revision struct {
	Number  int
	Created time.Time

	uid    string // of its document
	whole  int    // the newest revision up to this one whose index is stored whole
	digest string
	index  index
	rows   rows // of the profile deckhand
}

// Buckets are the names of the buckets that have documents in it, in order.
func (r *Revision) Buckets() []string { return r.index.buckets() }

// head is the newest revision, with the document that says so; nil before the first.
type head struct {
	*Revision
	doc *dovetail.Document
}

// head reads the newest revision.
func (r *Revisions) head(ctx context.Context) (*head, error) {
	ctx = own(ctx)
	doc, err := r.store.Get(ctx, headID)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return &head{Revision: &Revision{}}, nil
	}
	if err != nil {
		return nil, err
	}
	return r.readHead(ctx, doc)
}

// readHead reads the revision that a document says is the newest.
func (r *Revisions) readHead(ctx context.Context, doc *dovetail.Document) (*head, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(textOf(data.At("spec", "revision")))
	if err != nil {
		return nil, dovetail.UnreadableData(headID, err)
	}
	revision, err := r.Revision(ctx, number)
	return &head{revision, doc}, err
}

// Revision returns the revision of a number. Errors: CodeNotFound with ClassRevisionNotFound.
func (r *Revisions) Revision(ctx context.Context, number int) (*Revision, error) {
	if number == 0 {
		return &Revision{}, nil
	}
	doc, err := r.store.Get(ctx, revisionID(number))
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return nil, noRevision(number)
	}
	if err != nil {
		return nil, err
	}
	if known := r.cache.revision(doc.UID); known != nil {
		return known, nil
	}
	end, err := r.reading.take(ctx, doc.UID)
	if err != nil {
		return nil, err
	}
	defer end()
	if known := r.cache.revision(doc.UID); known != nil {
		return known, nil
	}
	revision, err := readRevision(doc)
	if err != nil {
		return nil, err
	}
	if err := r.readIndex(ctx, revision); err != nil {
		return nil, err
	}
	revision.digest = revision.index.digest() // not stored where revisions are read: it would tell whether a guess at the content is right
	r.cache.keepRevision(revision)
	return revision, nil
}

func noRevision(number int) error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ClassRevisionNotFound, Key: revisionID(number),
		Message: "there is no revision " + strconv.Itoa(number), Remedy: "see /api/v1.0/revisions for the existing ones"}
}

// readRevision reads what the document of a revision says, which is all but its index.
func readRevision(doc *dovetail.Document) (*Revision, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(lastValue(doc.ID))
	if err != nil {
		return nil, dovetail.UnreadableData(doc.ID, err)
	}
	whole, err := strconv.Atoi(textOf(data.At("spec", "whole")))
	if err != nil {
		return nil, dovetail.UnreadableData(doc.ID, err)
	}
	return &Revision{Number: number, Created: doc.Created, uid: doc.UID, whole: whole}, nil
}

// readIndex puts the index of a revision together, from the last one that is stored whole.
func (r *Revisions) readIndex(ctx context.Context, of *Revision) error {
	of.index = make(index)
	return r.eachDifference(ctx, of.whole, of.Number, func(d difference) {
		of.index.change(d)
		of.rows = d.rows
	})
}

// eachDifference reads how the indexes of some revisions differ from those before, in order.
func (r *Revisions) eachDifference(ctx context.Context, first, last int, do func(difference)) error {
	var ids []dovetail.ID
	for number := first; number <= last; number++ {
		ids = append(ids, indexID(number))
	}
	docs, err := r.store.GetAll(own(ctx), ids)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		if doc == nil {
			return dovetail.UnreadableData(ids[i], nil)
		}
		d, err := readDifference(doc)
		if err != nil {
			return err
		}
		do(d)
	}
	return nil
}

// all returns the documents of all revisions, in the order of their numbers.
func (r *Revisions) all(ctx context.Context) ([]*dovetail.Document, error) {
	page, err := r.store.List(ctx, store.ListQuery{Kind: elementRevision})
	if err != nil {
		return nil, err
	}
	sortByNumber(page.Documents, func(d *dovetail.Document) int {
		number, _ := strconv.Atoi(lastValue(d.ID))
		return number
	})
	return page.Documents, nil
}

func sortByNumber(docs []*dovetail.Document, number func(*dovetail.Document) int) {
	slices.SortFunc(docs, func(a, b *dovetail.Document) int { return number(a) - number(b) })
}

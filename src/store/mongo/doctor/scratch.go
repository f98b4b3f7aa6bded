package doctor

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// scratch is a collection for the checks, by several clients. Each check uses ids of its own.
type scratch struct {
	clients []client
	name    string
	facts   facts
}

// facts is what the server says of itself.
type facts struct {
	version    string
	replicated bool // a replica set or a sharded cluster
	sharded    bool
	maxBytes   int64 // of a document
	maxWrites  int64 // of one command
}

func (s *scratch) hello(ctx context.Context) (facts, error) {
	raw, err := s.clients[0].run(ctx, bson.D{{Key: "hello", Value: 1}})
	if err != nil {
		return facts{}, err
	}
	var f facts
	_, inSet := raw.Lookup("setName").StringValueOK()
	message, _ := raw.Lookup("msg").StringValueOK()
	f.sharded = message == "isdbgrid"
	f.replicated = inSet || f.sharded
	f.maxBytes, f.maxWrites = number(raw, "maxBsonObjectSize"), number(raw, "maxWriteBatchSize")
	if info, err := s.clients[0].run(ctx, bson.D{{Key: "buildInfo", Value: 1}}); err == nil { // not all servers answer
		f.version, _ = info.Lookup("version").StringValueOK()
	}
	return f, nil
}

// number is a member of an answer, 0 if it has none.
func number(raw bson.Raw, path ...string) int64 {
	n, _ := raw.Lookup(path...).AsInt64OK()
	return n
}

// create makes the collection, with the index over a list that checks use.
func (s *scratch) create(ctx context.Context) error {
	index := bson.D{{Key: "key", Value: byList}, {Key: "name", Value: "list_1"}, {Key: "sparse", Value: true}}
	_, err := s.clients[0].run(ctx, bson.D{{Key: "createIndexes", Value: s.name}, {Key: "indexes", Value: bson.A{index}}})
	return err
}

var (
	byID   = bson.D{{Key: "_id", Value: 1}}
	byList = bson.D{{Key: "list", Value: 1}}
)

func (s *scratch) drop(ctx context.Context) {
	_, _ = s.clients[0].run(ctx, bson.D{{Key: "drop", Value: s.name}}) // a later examination removes it otherwise
}

// removeOld removes what examinations left that did not end. Only that the database is tidy depends on it.
func (s *scratch) removeOld(ctx context.Context) {
	raw, err := s.clients[0].run(ctx, bson.D{{Key: "listCollections", Value: 1}, {Key: "nameOnly", Value: true}})
	if err != nil {
		return
	}
	for _, c := range batch(raw) {
		if name, _ := c.Lookup("name").StringValueOK(); abandoned(name, time.Now()) {
			_, _ = s.clients[0].run(ctx, bson.D{{Key: "drop", Value: name}})
		}
	}
}

// batch is the first batch of a cursor.
func batch(raw bson.Raw) []bson.Raw {
	list, _ := raw.Lookup("cursor", "firstBatch").ArrayOK()
	values, _ := list.Values()
	all := make([]bson.Raw, 0, len(values))
	for _, v := range values {
		if document, ok := v.DocumentOK(); ok {
			all = append(all, document)
		}
	}
	return all
}

func (s *scratch) insert(ctx context.Context, c client, documents ...any) error {
	_, err := c.run(ctx, bson.D{{Key: "insert", Value: s.name}, {Key: "documents", Value: bson.A(documents)}, {Key: "ordered", Value: false}})
	return err
}

// update updates one document, or, with many, all that fit, and returns how many did.
func (s *scratch) update(ctx context.Context, c client, filter, update bson.D, more ...bson.E) (int64, error) {
	one := append(bson.D{{Key: "q", Value: filter}, {Key: "u", Value: update}}, more...)
	raw, err := c.run(ctx, bson.D{{Key: "update", Value: s.name}, {Key: "updates", Value: bson.A{one}}})
	if err != nil {
		return 0, err
	}
	return number(raw, "n"), nil
}

// swap updates one document and returns it as it was before, or after; nil where none fits.
func (s *scratch) swap(ctx context.Context, c client, filter, update bson.D, after bool) (bson.Raw, error) {
	raw, err := c.run(ctx, bson.D{{Key: "findAndModify", Value: s.name}, {Key: "query", Value: filter}, {Key: "update", Value: update}, {Key: "new", Value: after}})
	if err != nil {
		return nil, err
	}
	document, _ := raw.Lookup("value").DocumentOK()
	return document, nil
}

// find returns what fits a filter, up to ten thousand.
func (s *scratch) find(ctx context.Context, c client, filter bson.D, more ...bson.E) ([]bson.Raw, error) {
	const most = 10_000
	command := append(bson.D{{Key: "find", Value: s.name}, {Key: "filter", Value: filter}, {Key: "batchSize", Value: most}, {Key: "singleBatch", Value: true}}, more...)
	raw, err := c.run(ctx, command)
	if err != nil {
		return nil, err
	}
	return batch(raw), nil
}

// each has every client do something at the same time, and returns what each got.
func (s *scratch) each(do func(i int, c client) error) []error {
	errs := make([]error, len(s.clients))
	var group sync.WaitGroup
	for i, c := range s.clients {
		group.Go(func() { errs[i] = do(i, c) })
	}
	group.Wait()
	return errs
}

func id(value any) bson.D { return bson.D{{Key: "_id", Value: value}} }

func set(name string, value any) bson.D {
	return bson.D{{Key: "$set", Value: bson.D{{Key: name, Value: value}}}}
}

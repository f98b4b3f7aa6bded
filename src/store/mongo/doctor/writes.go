package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
)

// rounds is how often a race is run.
const rounds = 8

// uniqueInsert has all clients insert the same _id.
func uniqueInsert(ctx context.Context, s *scratch) (string, error) {
	for round := range rounds {
		name := fmt.Sprint("unique-", round)
		errs := s.each(func(i int, c client) error {
			return s.insert(ctx, c, bson.D{{Key: "_id", Value: name}, {Key: "by", Value: i}})
		})
		winner, count := 0, 0
		for i, err := range errs {
			switch {
			case err == nil:
				winner, count = i, count+1
			case !duplicate(err):
				return "", err
			}
		}
		if count != 1 {
			return "", instead("%d of %d clients were told that they inserted the same _id", count, len(errs))
		}
		stored, err := s.find(ctx, s.clients[0], id(name))
		if err != nil {
			return "", err
		}
		if len(stored) != 1 || number(stored[0], "by") != int64(winner) {
			return "", instead("what is stored is not of the client that was told so")
		}
	}
	return fmt.Sprintf("%d races of %d clients, one winner each", rounds, len(s.clients)), nil
}

// compareAndSet has all clients count upwards, each step under the condition of the number before.
func compareAndSet(ctx context.Context, s *scratch) (string, error) {
	const steps = 10
	if err := s.insert(ctx, s.clients[0], bson.D{{Key: "_id", Value: "count"}, {Key: "n", Value: 0}}); err != nil {
		return "", err
	}
	var done, refused atomic.Int64
	errs := s.each(func(_ int, c client) error {
		for range steps {
			found, err := s.find(ctx, c, id("count"))
			if err != nil {
				return err
			}
			if len(found) != 1 {
				return instead("a document is not found by its _id")
			}
			n := number(found[0], "n")
			matched, err := s.update(ctx, c, bson.D{{Key: "_id", Value: "count"}, {Key: "n", Value: n}}, set("n", n+1))
			if err != nil {
				return err
			}
			done.Add(matched)
			refused.Add(1 - matched)
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	found, err := s.find(ctx, s.clients[0], id("count"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 || number(found[0], "n") != done.Load() {
		return "", instead("%d conditional updates were acknowledged, but the document counted otherwise", done.Load())
	}
	return fmt.Sprintf("%d conditional updates of %d clients, %d refused", done.Load(), len(s.clients), refused.Load()), nil
}

// findAndModify has all clients take the same document, of which only one may get it.
func findAndModify(ctx context.Context, s *scratch) (string, error) {
	for round := range rounds {
		name := fmt.Sprint("taken-", round)
		if err := s.insert(ctx, s.clients[0], bson.D{{Key: "_id", Value: name}}); err != nil {
			return "", err
		}
		var taken atomic.Int64
		errs := s.each(func(i int, c client) error {
			free := bson.D{{Key: "_id", Value: name}, {Key: "mark", Value: bson.D{{Key: "$exists", Value: false}}}}
			before, err := s.swap(ctx, c, free, set("mark", bson.D{{Key: "txn", Value: i}}), false)
			if before != nil {
				taken.Add(1)
			}
			return err
		})
		if err := errors.Join(errs...); err != nil {
			return "", err
		}
		if taken.Load() != 1 {
			return "", instead("%d of %d clients took the same document", taken.Load(), len(s.clients))
		}
	}
	return fmt.Sprintf("%d races of %d clients, one winner each", rounds, len(s.clients)), nil
}

// visibility writes by one client and reads by another at once.
func visibility(ctx context.Context, s *scratch) (string, error) {
	const turns = 12
	if err := s.insert(ctx, s.clients[0], bson.D{{Key: "_id", Value: "seen"}}); err != nil {
		return "", err
	}
	for turn := range turns {
		writer, reader := s.clients[turn%len(s.clients)], s.clients[(turn+1)%len(s.clients)]
		if _, err := s.update(ctx, writer, id("seen"), set("turn", turn)); err != nil {
			return "", err
		}
		found, err := s.find(ctx, reader, id("seen"))
		if err != nil {
			return "", err
		}
		if len(found) != 1 || number(found[0], "turn") != int64(turn) {
			return "", instead("another client did not see a write that had been acknowledged")
		}
	}
	return fmt.Sprintf("%d writes, each seen by another client at once", turns), nil
}

// unorderedWrites inserts three documents of which one exists.
func unorderedWrites(ctx context.Context, s *scratch) (string, error) {
	c := s.clients[0]
	if err := s.insert(ctx, c, id("some-2")); err != nil {
		return "", err
	}
	err := s.insert(ctx, c, id("some-1"), id("some-2"), id("some-3"))
	var failed driver.WriteException
	if !errors.As(err, &failed) || !duplicate(err) {
		return "", instead("an insert of an _id that exists was answered with: %v", err)
	}
	if len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Index != 1 {
		return "", instead("the answer to an insert of three documents does not say which one was refused")
	}
	found, err := s.find(ctx, c, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: bson.A{"some-1", "some-2", "some-3"}}}}})
	if err != nil {
		return "", err
	}
	if len(found) != 3 {
		return "", instead("of three documents of which one exists, %d are there after an unordered insert", len(found))
	}
	return "the others are inserted, and the refused one is named", nil
}

// manyWrites inserts, updates and deletes as many documents by one command as Dovetail does at most.
func manyWrites(ctx context.Context, s *scratch) (string, error) {
	const many = 5000
	c := s.clients[0]
	documents, ids := make([]any, many), make(bson.A, many)
	for i := range documents {
		ids[i] = fmt.Sprintf("many-%05d", i)
		documents[i] = id(ids[i])
	}
	if s.facts.maxWrites > 0 && s.facts.maxWrites < many {
		return "", instead("the server takes %d writes in one command, Dovetail sends %d", s.facts.maxWrites, many)
	}
	if err := s.insert(ctx, c, documents...); err != nil {
		return "", err
	}
	all := bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
	matched, err := s.update(ctx, c, all, set("x", 1), bson.E{Key: "multi", Value: true}, bson.E{Key: "hint", Value: byID})
	if err != nil {
		return "", err
	}
	raw, err := c.run(ctx, bson.D{{Key: "delete", Value: s.name}, {Key: "deletes", Value: bson.A{bson.D{{Key: "q", Value: all}, {Key: "limit", Value: 0}}}}})
	if err != nil {
		return "", err
	}
	if deleted := number(raw, "n"); matched != many || deleted != many {
		return "", instead("of %d documents %d were updated and %d deleted", many, matched, deleted)
	}
	return fmt.Sprintf("%d documents in one command", many), nil
}

// acknowledged looks what writes wait for.
func acknowledged(ctx context.Context, s *scratch) (string, error) {
	w := s.clients[0].concern()
	switch {
	case w == "0":
		return "", instead("w=0 in the connection string: writes are not answered")
	case w != "majority" && s.facts.replicated:
		return "", instead("w=%s in the connection string, where the server is replicated: leave it out, which means majority", w)
	}
	if err := s.insert(ctx, s.clients[0], id("concern")); err != nil {
		return "", err
	}
	return "w=" + w, nil
}

// driverWrites inserts a document as the driver does it.
func driverWrites(ctx context.Context, s *scratch) (string, error) {
	return "the driver inserts a document", s.clients[0].insert(ctx, s.name, id("driver"))
}

// stampedInsert has all clients insert the same _id with the stamp of the server's clock, by an update of what has their own txn.
func stampedInsert(ctx context.Context, s *scratch) (string, error) {
	stamp := bson.E{Key: "$currentDate", Value: bson.D{{Key: "at", Value: bson.D{{Key: "$type", Value: "timestamp"}}}}}
	for round := range rounds {
		name := fmt.Sprint("stamped-", round)
		errs := s.each(func(i int, c client) error {
			mine := append(id(name), bson.E{Key: "mark.txn", Value: i})
			update := bson.D{{Key: "$set", Value: bson.D{{Key: "by", Value: i}, {Key: "mark", Value: bson.D{{Key: "txn", Value: i}}}}}, stamp}
			_, err := s.update(ctx, c, mine, update, bson.E{Key: "upsert", Value: true})
			return err
		})
		winner, count := 0, 0
		for i, err := range errs {
			switch {
			case err == nil:
				winner, count = i, count+1
			case !duplicate(err):
				return "", err
			}
		}
		stored, err := s.find(ctx, s.clients[0], id(name))
		switch {
		case err != nil:
			return "", err
		case count != 1:
			return "", instead("%d of %d clients were told that they inserted the same _id", count, len(errs))
		case len(stored) != 1 || number(stored[0], "by") != int64(winner):
			return "", instead("what is stored is not of the client that was told so")
		case stored[0].Lookup("at").Type != bson.TypeTimestamp:
			return "", instead("what is stored has no stamp")
		}
	}
	return fmt.Sprintf("%d races of %d clients, one winner each, with a stamp", rounds, len(s.clients)), nil
}

// upsertRace has all clients upsert the same _id, and counts who was told to have inserted it.
func upsertRace(ctx context.Context, s *scratch) (string, error) {
	for round := range rounds {
		name := fmt.Sprint("upsert-", round)
		var inserted atomic.Int64
		errs := s.each(func(i int, c client) error {
			one := bson.D{{Key: "q", Value: id(name)}, {Key: "u", Value: bson.D{{Key: "$setOnInsert", Value: bson.D{{Key: "by", Value: i}}}}}, {Key: "upsert", Value: true}}
			raw, err := c.run(ctx, bson.D{{Key: "update", Value: s.name}, {Key: "updates", Value: bson.A{one}}})
			if err == nil && raw.Lookup("upserted").Type == bson.TypeArray {
				inserted.Add(1)
			}
			if duplicate(err) { // which the server may say of a race
				return nil
			}
			return err
		})
		if err := errors.Join(errs...); err != nil {
			return "", err
		}
		if inserted.Load() != 1 {
			return "", instead("%d of %d clients were told that their upsert inserted the document", inserted.Load(), len(s.clients))
		}
	}
	return fmt.Sprintf("%d races of %d clients, one winner each", rounds, len(s.clients)), nil
}

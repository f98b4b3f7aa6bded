package doctor

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// readConcern reads what a majority has.
func readConcern(ctx context.Context, s *scratch) (string, error) {
	_, err := s.find(ctx, s.clients[0], id("any"), bson.E{Key: "readConcern", Value: bson.D{{Key: "level", Value: "majority"}}})
	if err == nil && !s.facts.replicated {
		return "majority is accepted; on a server by itself it changes nothing", nil
	}
	return "majority", err
}

// sessions reads in a session of the driver.
func sessions(ctx context.Context, s *scratch) (string, error) {
	return "causally consistent", s.clients[0].inSession(ctx, bson.D{{Key: "find", Value: s.name}, {Key: "filter", Value: id("any")}})
}

// transactions inserts two documents as one transaction of the server.
func transactions(ctx context.Context, s *scratch) (string, error) {
	insert := func(name string) bson.D {
		return bson.D{{Key: "insert", Value: s.name}, {Key: "documents", Value: bson.A{id(name)}}}
	}
	if err := s.clients[0].together(ctx, insert("transaction-1"), insert("transaction-2")); err != nil {
		return "", err
	}
	return "offered; not used", nil
}

// changeStreams opens one.
func changeStreams(ctx context.Context, s *scratch) (string, error) {
	stream := bson.A{bson.D{{Key: "$changeStream", Value: bson.D{}}}}
	raw, err := s.clients[0].run(ctx, bson.D{{Key: "aggregate", Value: s.name}, {Key: "pipeline", Value: stream}, {Key: "cursor", Value: bson.D{}}})
	if err != nil {
		return "", err
	}
	_, _ = s.clients[0].run(ctx, bson.D{{Key: "killCursors", Value: s.name}, {Key: "cursors", Value: bson.A{number(raw, "cursor", "id")}}}) // the server ends it later otherwise
	return "wake watches", nil
}

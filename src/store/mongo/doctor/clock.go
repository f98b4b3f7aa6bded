package doctor

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// serverClock has clients stamp a document in turns: a later stamp must not be earlier.
func serverClock(ctx context.Context, s *scratch) (string, error) {
	const turns = 12
	if err := s.insert(ctx, s.clients[0], id("clock")); err != nil {
		return "", err
	}
	var last bson.Timestamp
	for turn := range turns {
		after, err := s.swap(ctx, s.clients[turn%len(s.clients)], id("clock"),
			bson.D{{Key: "$currentDate", Value: bson.D{{Key: "at", Value: bson.D{{Key: "$type", Value: "timestamp"}}}}}}, true)
		if err != nil {
			return "", err
		}
		t, i, ok := after.Lookup("at").TimestampOK()
		if !ok {
			return "", instead("$currentDate sets no timestamp")
		}
		at := bson.Timestamp{T: t, I: i}
		if at.Before(last) {
			return "", instead("a stamp is earlier than the one before: %v after %v", at, last)
		}
		last = at
	}
	began := time.Now()
	now, err := s.time(ctx)
	if err != nil {
		return "", err
	}
	away := now.Sub(began).Round(time.Second)
	return fmt.Sprintf("%d stamps in order; %v from the clock here, which does not matter", turns, away.Abs()), nil
}

// time is that of the node that writes.
func (s *scratch) time(ctx context.Context) (time.Time, error) {
	after, err := s.swap(ctx, s.clients[0], id("clock"), bson.D{{Key: "$currentDate", Value: bson.D{{Key: "time", Value: true}}}}, true)
	if err != nil {
		return time.Time{}, err
	}
	at, ok := after.Lookup("time").DateTimeOK()
	if !ok {
		return time.Time{}, instead("$currentDate sets no date")
	}
	return bson.DateTime(at).Time(), nil
}

// clockCondition updates under the condition that the server's clock shows an earlier time than one that has passed, and than one to come.
func clockCondition(ctx context.Context, s *scratch) (string, error) {
	const margin = 2 * time.Second
	now, err := s.time(ctx)
	if err != nil {
		return "", err
	}
	for _, to := range []struct {
		before time.Time
		want   int64
		saying string
	}{
		{now.Add(-margin), 0, "a write was done after the time until which it was allowed"},
		{now.Add(time.Hour), 1, "a write was refused before the time until which it was allowed"},
	} {
		earlier := bson.D{{Key: "$lt", Value: bson.A{"$$NOW", to.before}}}
		filter := append(id("clock"), bson.E{Key: "$expr", Value: bson.D{{Key: "$cond", Value: bson.A{earlier, true, false}}}})
		matched, err := s.update(ctx, s.clients[1], filter, set("until", to.before))
		if err != nil {
			return "", err
		}
		if matched != to.want {
			return "", instead("%s ($$NOW in the condition of an update)", to.saying)
		}
	}
	return "writes are refused from the moment on that they name", nil
}

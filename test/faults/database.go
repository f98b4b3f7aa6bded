package faults

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Database is a view of the database past the product: for what must not be left there.
type Database struct {
	client *mongo.Client
	db     *mongo.Database
}

// OpenDatabase connects to a database of the server.
func OpenDatabase(address, name string) (*Database, error) {
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + address + "/").SetTimeout(10 * time.Second))
	if err != nil {
		return nil, err
	}
	return &Database{client, client.Database(name)}, nil
}

// Ping reports whether the server answers.
func (d *Database) Ping(ctx context.Context) error { return d.client.Ping(ctx, nil) }

// Drop deletes the database.
func (d *Database) Drop(ctx context.Context) error { return d.db.Drop(ctx) }

// leftovers are what a transaction needs only while it is under way.
var leftovers = []struct {
	what, collection string
	filter           bson.D
}{
	{"intents", "documents", bson.D{{Key: "mark", Value: bson.D{{Key: "$exists", Value: true}}}}},
	{"pending transaction records", "commits", bson.D{{Key: "state", Value: "pending"}}},
	{"transaction records whose intents are not resolved", "commits", bson.D{{Key: "state", Value: "committed"}}},
}

// Left says what is left of transactions under way, "" if there is nothing.
func (d *Database) Left(ctx context.Context) (text string, err error) {
	for _, l := range leftovers {
		n, err := d.db.Collection(l.collection).CountDocuments(ctx, l.filter)
		if err != nil {
			return "", err
		}
		if n > 0 {
			text += fmt.Sprintf(" %d %s", n, l.what)
		}
	}
	return text, nil
}

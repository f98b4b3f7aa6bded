package mongo

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// LevelReport describes the protocol level of a store.
type LevelReport struct {
	Level   protocol.Level
	Running []protocol.Member
	// Earlier describes the evidence that processes of versions without levels are running; "" if there is none.
	Earlier string
}

// ReadLevel reads the protocol level of the store in the database of the connection string, without joining it; nil if there is no
// store. Errors: CodeInvalid for the connection string, CodeUnavailable, and the codes of an ended context.
func ReadLevel(ctx context.Context, uri string) (*LevelReport, error) {
	clientOptions, database, err := ClientOptions(uri)
	if err != nil {
		return nil, err
	}
	client, err := mongo.Connect(clientOptions)
	if err != nil {
		return nil, invalidURI(err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	of := func(name string) collection {
		c := client.Database(database).Collection(name)
		return collection{c, c}
	}
	r := registry{&server{records: of(recordsName), log: of(logName), versions: of(versionsName), effort: pageEffort}}
	for found, err := range query(ctx, r.log.in(ctx), identity, options.Find(), raw) {
		if err != nil {
			return nil, err
		}
		return r.report(ctx, found)
	}
	return nil, nil
}

func (r registry) report(ctx context.Context, identity bson.Raw) (*LevelReport, error) {
	read, err := decodeRegistry(identity)
	if err != nil {
		return nil, err
	}
	report := &LevelReport{Level: read.Level}
	var now time.Time
	if now, err = r.Time(ctx); err != nil {
		return nil, err
	}
	report.Running = read.Running(now)
	report.Earlier, err = r.earlier(ctx, read.Members, nil)
	return report, err
}

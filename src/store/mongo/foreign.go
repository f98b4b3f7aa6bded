package mongo

import (
	"context"
	"iter"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReadForeign yields the documents of a collection that another program wrote, in the order of their _id, as objects in relaxed
// Extended JSON: numbers are plain, an ObjectId is {"$oid": "..."}. It does not change the database. The connection string is as for Open, but must
// name a database.
//
// Errors: CodeInvalid for the connection string, CodeUnavailable, and the codes of an ended context.
func ReadForeign(ctx context.Context, uri, collection string) iter.Seq2[*value.Value, error] {
	return func(yield func(*value.Value, error) bool) {
		clientOptions, database, err := ClientOptions(uri)
		if err != nil {
			yield(nil, err)
			return
		}
		clientOptions.Timeout = nil // one query reads everything, without a time limit
		client, err := mongo.Connect(clientOptions)
		if err != nil {
			yield(nil, invalidURI(err))
			return
		}
		defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
		from := client.Database(database).Collection(collection)
		for v, err := range query(ctx, from, bson.D{}, options.Find().SetSort(byID), decodeForeign) {
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

func decodeForeign(raw bson.Raw) (*value.Value, error) {
	text, err := bson.MarshalExtJSON(raw, false, false)
	if err != nil {
		return nil, corrupt("a document cannot be read: " + err.Error())
	}
	v, err := value.ParseJSON(text, value.Limits{Bytes: 4 * maxStored})
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "a document cannot be read as JSON", Err: err}
	}
	return v, nil
}

package doctor

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// client runs commands on the database. It is safe for concurrent use.
type client interface {
	// run runs one command and returns the answer. Errors of single writes are an error, too.
	run(ctx context.Context, command bson.D) (bson.Raw, error)
	// insert has the driver insert a document, with all that it adds to a write, such as the number for a retry.
	insert(ctx context.Context, collection string, document bson.D) error
	// inSession runs a command in a causally consistent session, with read concern majority.
	inSession(ctx context.Context, command bson.D) error
	// concern is the w of writes.
	concern() string
	// together runs commands as one transaction of the server.
	together(ctx context.Context, commands ...bson.D) error
}

// connection is a client of the driver.
type connection struct {
	client   *driver.Client
	database *driver.Database
	writes   bson.D // the write concern
}

// connect opens clients that share nothing. Nothing is sent yet.
func connect(uri string, n int) ([]*connection, error) {
	all := make([]*connection, n)
	for i := range all {
		o, database, err := mongo.ClientOptions(uri)
		if err != nil {
			return nil, err
		}
		c, err := driver.Connect(o)
		if err != nil {
			return nil, err
		}
		all[i] = &connection{client: c, database: c.Database(database), writes: writeConcern(o)}
	}
	return all, nil
}

// writeConcern is that of a client, as commands have it.
func writeConcern(o *options.ClientOptions) bson.D {
	concern := bson.D{{Key: "w", Value: o.WriteConcern.W}}
	if j := o.WriteConcern.Journal; j != nil {
		concern = append(concern, bson.E{Key: "j", Value: *j})
	}
	return concern
}

func (c *connection) run(ctx context.Context, command bson.D) (bson.Raw, error) {
	if isWrite[command[0].Key] {
		command = append(command[:len(command):len(command)], bson.E{Key: "writeConcern", Value: c.writes})
	}
	return c.database.RunCommand(ctx, command).Raw()
}

var isWrite = map[string]bool{"insert": true, "update": true, "delete": true, "findAndModify": true}

func (c *connection) insert(ctx context.Context, collection string, document bson.D) error {
	_, err := c.database.Collection(collection).InsertOne(ctx, document)
	return err
}

func (c *connection) concern() string { return fmt.Sprint(c.writes[0].Value) }

func (c *connection) inSession(ctx context.Context, command bson.D) error {
	session, err := c.client.StartSession(options.Session().SetCausalConsistency(true))
	if err != nil {
		return err
	}
	defer session.EndSession(context.WithoutCancel(ctx))
	majority := bson.E{Key: "readConcern", Value: bson.D{{Key: "level", Value: "majority"}}}
	return c.database.RunCommand(driver.NewSessionContext(ctx, session), append(command, majority)).Err()
}

func (c *connection) together(ctx context.Context, commands ...bson.D) error {
	session, err := c.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(context.WithoutCancel(ctx))
	if err := session.StartTransaction(); err != nil {
		return err
	}
	within := driver.NewSessionContext(ctx, session)
	for _, command := range commands {
		if err := c.database.RunCommand(within, command).Err(); err != nil {
			_ = session.AbortTransaction(context.WithoutCancel(within)) // err tells why
			return err
		}
	}
	return session.CommitTransaction(within)
}

func (c *connection) close(ctx context.Context) { _ = c.client.Disconnect(ctx) }

// lost reports whether the error is one of the network: it says nothing of the server.
func lost(err error) bool {
	return driver.IsNetworkError(err) || driver.IsTimeout(err) || errors.Is(err, driver.ErrClientDisconnected)
}

// duplicate reports whether the server refused an _id that is there.
func duplicate(err error) bool { return driver.IsDuplicateKeyError(err) }

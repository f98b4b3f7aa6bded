package doctor

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
)

// faulty is a server that does one thing otherwise.
type faulty struct {
	client
	do func(ctx context.Context, command bson.D, run func(context.Context, bson.D) (bson.Raw, error)) (bson.Raw, error)
}

func (f *faulty) run(ctx context.Context, command bson.D) (bson.Raw, error) {
	return f.do(ctx, command, f.client.run)
}

type runner = func(context.Context, bson.D) (bson.Raw, error)

// fault is how a server does one thing otherwise. A new one is made for each examination.
type fault func() func(ctx context.Context, command bson.D, run runner) (bson.Raw, error)

// altering is a fault that changes commands of one name before they are done.
func altering(name string, change func(command bson.D) bson.D) fault {
	return func() func(context.Context, bson.D, runner) (bson.Raw, error) {
		return func(ctx context.Context, command bson.D, run runner) (bson.Raw, error) {
			if command[0].Key == name {
				command = change(slices.Clone(command))
			}
			return run(ctx, command)
		}
	}
}

// refusing is a fault that refuses commands with a text in them.
func refusing(text string) fault {
	return func() func(context.Context, bson.D, runner) (bson.Raw, error) {
		return func(ctx context.Context, command bson.D, run runner) (bson.Raw, error) {
			if strings.Contains(command.String(), text) {
				return nil, driver.CommandError{Code: 2, Name: "BadValue", Message: "the server does not know " + text}
			}
			return run(ctx, command)
		}
	}
}

// member is a member of a command, to read or to set.
func member(d bson.D, name string) *any {
	for i := range d {
		if d[i].Key == name {
			return &d[i].Value
		}
	}
	return new(any)
}

// firstUpdate changes the only update of a command.
func firstUpdate(change func(update bson.D) bson.D) func(bson.D) bson.D {
	return func(command bson.D) bson.D {
		updates := member(command, "updates")
		*updates = bson.A{change(slices.Clone((*updates).(bson.A)[0].(bson.D)))}
		return command
	}
}

// only leaves one member of a filter.
func only(filter any, name string) bson.D {
	return bson.D{{Key: name, Value: *member(filter.(bson.D), name)}}
}

// TestFaults examines servers that do one thing otherwise: the check of that says so, and no other.
func TestFaults(t *testing.T) {
	t.Parallel()
	uri := freshURI(t)
	for _, tt := range []struct {
		name  string
		want  []string
		fault fault
	}{
		{"an _id may be there twice", []string{"unique-insert", "unordered-writes"}, func() func(context.Context, bson.D, runner) (bson.Raw, error) {
			return func(ctx context.Context, command bson.D, run runner) (bson.Raw, error) {
				answer, err := run(ctx, command)
				if command[0].Key == "insert" && duplicate(err) {
					return answer, nil
				}
				return answer, err
			}
		}},
		{"conditions of updates are not looked at", []string{"clock-condition", "compare-and-set"}, altering("update", firstUpdate(func(update bson.D) bson.D {
			if q := member(update, "q"); *member((*q).(bson.D), "n") != nil || *member((*q).(bson.D), "$expr") != nil {
				*q = only(*q, "_id")
			}
			return update
		}))},
		{"an upsert takes what is there", []string{"stamped-insert"}, altering("update", firstUpdate(func(update bson.D) bson.D {
			if q := member(update, "q"); *member((*q).(bson.D), "mark.txn") != nil {
				*q = only(*q, "_id")
			}
			return update
		}))},
		{"the clock is not looked at", []string{"clock-condition"}, altering("update", firstUpdate(func(update bson.D) bson.D {
			if q := member(update, "q"); *member((*q).(bson.D), "$expr") != nil {
				*q = only(*q, "_id")
			}
			return update
		}))},
		{"conditions of findAndModify are not looked at", []string{"find-and-modify"}, altering("findAndModify", func(command bson.D) bson.D {
			q := member(command, "query")
			*q = only(*q, "_id")
			return command
		})},
		{"reads are late", []string{"visibility"}, func() func(context.Context, bson.D, runner) (bson.Raw, error) {
			var mutex sync.Mutex
			last := make(map[string]bson.Raw)
			return func(ctx context.Context, command bson.D, run runner) (bson.Raw, error) {
				answer, err := run(ctx, command)
				if filter, ok := (*member(command, "filter")).(bson.D); !ok || *member(filter, "_id") != any("seen") {
					return answer, err
				}
				mutex.Lock()
				defer mutex.Unlock()
				late, found := last["seen"]
				last["seen"] = slices.Clone(answer)
				if !found {
					return answer, err
				}
				return late, err
			}
		}},
		{"the clock goes back", []string{"server-clock"}, func() func(context.Context, bson.D, runner) (bson.Raw, error) {
			at := uint32(1 << 20)
			return altering("findAndModify", func(command bson.D) bson.D {
				if update := member(command, "update"); strings.Contains((*update).(bson.D).String(), "timestamp") {
					at--
					*update = set("at", bson.Timestamp{T: at})
				}
				return command
			})()
		}},
		{"the first refused document ends an insert", []string{"unordered-writes"}, altering("insert", func(command bson.D) bson.D {
			*member(command, "ordered") = true
			return command
		})},
		{"commands have a limit", []string{"many-writes"}, altering("update", firstUpdate(func(update bson.D) bson.D {
			if *member(update, "multi") != nil {
				*member(update, "multi") = false
			}
			return update
		}))},
		{"a collation sorts ids", []string{"order"}, func() func(context.Context, bson.D, runner) (bson.Raw, error) {
			return func(ctx context.Context, command bson.D, run runner) (bson.Raw, error) {
				answer, err := run(ctx, command)
				if err != nil || command[0].Key != "find" || *member(command, "sort") == nil {
					return answer, err
				}
				found := batch(answer)
				slices.SortFunc(found, func(a, b bson.Raw) int {
					return strings.Compare(strings.ToLower(a.Lookup("_id").StringValue()), strings.ToLower(b.Lookup("_id").StringValue()))
				})
				return bson.Marshal(bson.D{{Key: "cursor", Value: bson.D{{Key: "firstBatch", Value: found}}}})
			}
		}},
		{"lists are not indexed", []string{"lists"}, altering("find", func(command bson.D) bson.D {
			if filter := member(command, "filter"); *member((*filter).(bson.D), "list") != nil {
				*filter = append(slices.Clone((*filter).(bson.D)), bson.E{Key: "list.1", Value: bson.D{{Key: "$exists", Value: false}}})
			}
			return command
		})},
		{"no $unionWith", []string{"union"}, refusing("$unionWith")},
		{"no $addToSet", []string{"lists"}, refusing("$addToSet")},
		{"no members with dots", []string{"member-names"}, refusing(`"a.b":`)},
		{"numbers are doubles", []string{"values"}, altering("insert", func(command bson.D) bson.D {
			documents := (*member(command, "documents")).(bson.A)
			if first := documents[0].(bson.D); *member(first, "_id") == any("values") {
				data := slices.Clone((*member(first, "data")).(bson.D))
				*member(data, "z") = 1.0
				*member(command, "documents") = bson.A{append(id("values"), bson.E{Key: "data", Value: data})}
			}
			return command
		})},
		{"no read concern", []string{"read-concern"}, refusing("readConcern")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			do := tt.fault()
			var clients []client
			for _, c := range mustConnect(t, uri, connections) {
				clients = append(clients, &faulty{c, do})
			}
			results, err := examine(t.Context(), clients, Options{Quick: !slices.ContainsFunc(checks, func(c check) bool { return !c.quick && slices.Contains(tt.want, c.name) })})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			required := false
			for _, r := range results {
				if !r.Holds && !slices.Contains(lacking, r.Name) {
					found, required = append(found, r.Name), required || r.Required
					t.Logf("%s: %s", r.Name, r.Detail)
				}
			}
			slices.Sort(found)
			if !slices.Equal(found, tt.want) {
				t.Errorf("%q do not hold, want %q", found, tt.want)
			}
			if err := Failure(results); (err != nil) != required {
				t.Errorf("the failure is %v, where something required does not hold: %v", err, required)
			}
		})
	}
}

// lacking are the checks that servers for tests need not pass.
var lacking = []string{"id-length", "sorted-index", "upsert-race", "transactions", "change-streams"}

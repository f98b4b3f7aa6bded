package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// stored is the length of the largest document that Dovetail stores, and beyond what no server may take.
const (
	stored  = 16<<20 - 64<<10
	refused = 17 << 20
)

// documentSize stores a document as large as Dovetail does, and one that is too large.
func documentSize(ctx context.Context, s *scratch) (string, error) {
	c := s.clients[0]
	const around = 100 // what the document has beside the text
	largest := append(id("large"), bson.E{Key: "text", Value: strings.Repeat("x", stored-around)})
	if err := s.insert(ctx, c, largest); err != nil {
		if s.facts.maxBytes > 0 && s.facts.maxBytes < stored {
			return "", instead("the server takes documents of %d bytes", s.facts.maxBytes)
		}
		return "", err
	}
	err := s.insert(ctx, c, append(id("too-large"), bson.E{Key: "text", Value: strings.Repeat("x", refused)}))
	if lost(err) || err == nil {
		return fmt.Sprintf("%d bytes; the server takes larger ones, too, or hangs up", stored), nil
	}
	return fmt.Sprintf("%d bytes; larger ones are refused", stored), nil
}

// idLength finds out how long an _id may be.
func idLength(ctx context.Context, s *scratch) (string, error) {
	// Dovetail's ids are rarely longer than the first; servers differ in the others.
	lengths := []int{512, 1024, 2048, 4096, 8192}
	for i, length := range lengths {
		if err := s.insert(ctx, s.clients[0], id(randomText(length))); err != nil {
			if lost(err) || i == 0 {
				return "", err
			}
			return "", instead("ids of %d bytes are stored, those of %d are refused: %s", lengths[i-1], length, firstLine(err))
		}
	}
	return fmt.Sprintf("ids of %d bytes", lengths[len(lengths)-1]), nil
}

// randomText is a text that does not compress: some servers have a limit on what is left of it then.
func randomText(length int) string {
	var text strings.Builder
	for text.Len() < length {
		text.WriteString(rand.Text())
	}
	return text.String()[:length]
}

// memberNames stores members with names that mean something to the server elsewhere.
func memberNames(ctx context.Context, s *scratch) (string, error) {
	for i, name := range []string{"a.b", "$ref", "", "$set", "a.$.b"} {
		data := bson.D{{Key: "data", Value: bson.D{{Key: name, Value: 1}}}}
		one := id(fmt.Sprint("names-", i))
		if err := s.insert(ctx, s.clients[0], append(one, data...)); err != nil {
			return "", instead("a member named %q is refused: %s", name, firstLine(err))
		}
		if _, err := s.update(ctx, s.clients[0], one, bson.D{{Key: "$set", Value: data}}); err != nil {
			return "", instead("an update to a member named %q is refused: %s", name, firstLine(err))
		}
		if err := s.same(ctx, one, data[0].Value); err != nil {
			return "", err
		}
	}
	return "with . and $, and empty", nil
}

// values stores one of each type, in an order that is none.
func values(ctx context.Context, s *scratch) (string, error) {
	data := bson.D{{Key: "z", Value: int32(1)}, {Key: "a", Value: int64(1) << 60}, {Key: "m", Value: 1.0}, {Key: "e", Value: 1e300}, {Key: "t", Value: true}, {Key: "n", Value: nil},
		{Key: "s", Value: "ä\n日本\u0000x"}, {Key: "b", Value: bson.Binary{Data: []byte{0, 255}}}, {Key: "d", Value: bson.NewDateTimeFromTime(time.UnixMilli(1_700_000_000_123))},
		{Key: "l", Value: bson.A{int32(2), int32(1), bson.D{{Key: "y", Value: "1"}, {Key: "b", Value: bson.D{}}}, bson.A{}}}}
	if err := s.insert(ctx, s.clients[0], append(id("values"), bson.E{Key: "data", Value: data})); err != nil {
		return "", err
	}
	return "each type, in the order of members", s.same(ctx, id("values"), data)
}

// same compares the data of a document with what was stored.
func (s *scratch) same(ctx context.Context, one bson.D, data any) error {
	found, err := s.find(ctx, s.clients[1], one)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return instead("a document is not found by its _id")
	}
	want, err := bson.Marshal(data)
	if err != nil {
		return err
	}
	if got := found[0].Lookup("data").Value; !bytes.Equal(got, want) {
		return instead("%v came back as %v", bson.Raw(want), bson.Raw(got))
	}
	return nil
}

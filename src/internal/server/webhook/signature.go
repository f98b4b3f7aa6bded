package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a request, as Standard Webhooks names them.
const (
	HeaderID        = "Webhook-Id"        // of the event; the same when it is delivered again
	HeaderTimestamp = "Webhook-Timestamp" // of the attempt, in seconds of Unix
	HeaderSignature = "Webhook-Signature" // "v1,<base64>", one for each secret, separated by spaces
)

// sign sets the headers of a request with a body.
func sign(h http.Header, secrets [][]byte, id string, at time.Time, body []byte) {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, timestamp)
	h.Set(HeaderSignature, strings.Join(signatures, " "))
}

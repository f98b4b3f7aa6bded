package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// maxWorkMessage bounds the message of a result that a command prints.
const maxWorkMessage = 2000

// runWork runs the command of a worker. Its error means that it could not be run, or printed a result that cannot be read.
func (s *session) runWork(ctx context.Context, work *store.Work, command []string) (store.WorkResult, error) {
	input, err := json.Marshal(work)
	if err != nil {
		return store.WorkResult{}, err
	}
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Env = append(os.Environ(), "DOVETAIL_ID="+string(work.ID), "DOVETAIL_KIND="+work.Kind, "DOVETAIL_ACTION="+work.Action)
	run.Stdin, run.Stderr = bytes.NewReader(input), s.Err
	var printed bytes.Buffer
	run.Stdout = &printed
	err = run.Run()
	result, unread := workResult(printed.Bytes())
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		result.Failed, result.Message = true, cmp.Or(result.Message, "the command ended with "+exit.String())
	case err != nil:
		return result, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the command " + command[0] + " cannot be run", Err: err}
	case unread != nil:
		return result, unread
	}
	return result, nil
}

// workResult reads what a command printed: a JSON object with message and status, or a message.
func workResult(printed []byte) (store.WorkResult, error) {
	text := strings.TrimSpace(string(printed))
	if !strings.HasPrefix(text, "{") {
		return store.WorkResult{Message: strings.ToValidUTF8(text[:min(len(text), maxWorkMessage)], "")}, nil
	}
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		return store.WorkResult{}, err
	}
	var result store.WorkResult
	for _, m := range v.Members {
		message, isText := m.Value.Str()
		switch {
		case m.Name == "message" && isText:
			result.Message = message
		case m.Name == "status" && m.Value.Kind == value.Map:
			result.Status = m.Value
		default:
			return result, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the result that the command printed has the member " + m.Name + ", or one of another type",
				Remedy: "print an object with message, a text, and status, an object; or a message"}
		}
	}
	return result, nil
}

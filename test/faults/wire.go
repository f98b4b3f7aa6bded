package faults

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// message is one of MongoDB's wire protocol: a header of 16 bytes with its length, and the rest.
type message []byte

const (
	headerSize  = 16
	opMsg       = 2013
	messageSize = 64 << 20 // more than any server takes
)

// readMessage reads one message.
func readMessage(from io.Reader) (message, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(size[:])
	if length < headerSize || length > messageSize {
		return nil, fmt.Errorf("a message of %d bytes", length)
	}
	m := make(message, length)
	copy(m, size[:])
	_, err := io.ReadFull(from, m[4:])
	return m, err
}

func (m message) id() uint32 { return binary.LittleEndian.Uint32(m[4:]) }

func (m message) answers() uint32 { return binary.LittleEndian.Uint32(m[8:]) }

// command is the command of a request and what it is about, such as insert and documents; "" for what is none.
func (m message) command() (name, collection string) {
	const body = headerSize + 4 + 1 + 4 // flags, the kind of the first section, the length of its document
	if binary.LittleEndian.Uint32(m[12:]) != opMsg || len(m) < body+2 || m[headerSize+4] != 0 {
		return "", ""
	}
	kind, rest := m[body], m[body+1:]
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return "", ""
	}
	name = string(rest[:end])
	const text = 2 // the type of strings, which have a length and end with 0
	if rest = rest[end+1:]; kind == text && len(rest) > 4 {
		if end = bytes.IndexByte(rest[4:], 0); end >= 0 {
			collection = string(rest[4 : 4+end])
		}
	}
	return name, collection
}

// writes reports whether the request is a command that writes.
func (m message) writes() bool {
	name, _ := m.command()
	return slices.Contains([]string{"insert", "update", "delete", "findAndModify", "bulkWrite"}, name)
}

// acknowledgement is an answer that says that the request wrote one document, as {ok: 1, n: 1, nModified: 1}.
func acknowledgement(request message) message {
	var document []byte
	for _, name := range []string{"n", "nModified", "ok"} {
		document = append(append(append(document, 0x10), name...), 0)
		document = binary.LittleEndian.AppendUint32(document, 1)
	}
	document = append(document, 0)
	document = append(binary.LittleEndian.AppendUint32(nil, uint32(len(document)+4)), document...)
	var m message
	for _, field := range []uint32{headerSize + 4 + 1 + uint32(len(document)), 1 << 30, request.id(), opMsg, 0} {
		m = binary.LittleEndian.AppendUint32(m, field)
	}
	return append(append(m, 0), document...)
}

package kv

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// A note is written into the header of one log file after each record of the other: how many records were synced, where the last ends, and the
// checksum of their checksums. Without it a damaged record could not be told from one that was being written at a crash, when
// nothing is behind it.
//
// Notes are not synced: that would cost a second page with each commit. After a power failure a note may say less
// than is true, never more, because the record it counts was synced before. The note of a generation is durable before the next
// generation is, with whose first record the file is synced.
type note struct {
	generation uint64
	records    uint64
	end        int64  // offset of what follows the last record
	chain      uint32 // checksum of the checksums of all records
}

const (
	noteOffset = headerSize - noteSize // the last part of the header, in one sector with the rest
	noteSize   = 32
)

func (n note) encode() []byte {
	block := make([]byte, 0, noteSize)
	block = binary.LittleEndian.AppendUint64(block, n.generation)
	block = binary.LittleEndian.AppendUint64(block, n.records)
	block = binary.LittleEndian.AppendUint64(block, uint64(n.end))
	block = binary.LittleEndian.AppendUint32(block, n.chain)
	return binary.LittleEndian.AppendUint32(block, crc32.Checksum(block, castagnoli))
}

// decodeNote reports whether the block is a note. One of zeros is an empty note: none was written yet.
func decodeNote(block []byte) (n note, ok bool) {
	if len(bytes.Trim(block, "\x00")) == 0 {
		return note{}, true
	}
	n = note{
		generation: binary.LittleEndian.Uint64(block),
		records:    binary.LittleEndian.Uint64(block[8:]),
		end:        int64(binary.LittleEndian.Uint64(block[16:])),
		chain:      binary.LittleEndian.Uint32(block[24:]),
	}
	return n, bytes.Equal(n.encode(), block)
}

// add counts a record of a length with its checksum.
func (n *note) add(length int64, checksum uint32) {
	n.records++
	n.end += length
	n.chain = crc32.Update(n.chain, castagnoli, binary.LittleEndian.AppendUint32(nil, checksum))
}

// writeNote notes in the other file what was synced in this one. An error is not reported: an older note says less, but nothing wrong.
func (l *log) writeNote() {
	_, _ = l.files[(l.synced.generation+1)%2].WriteAt(l.synced.encode(), noteOffset)
}

package bolt

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// Stored values are a format byte, fields, and a checksum of both. Numbers are varints, texts are
// preceded by their length. bbolt has checksums for its own two header pages only, so ours is what
// tells a damaged document from a good one.

const checksumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal adds the checksum.
func seal(value []byte) []byte {
	return binary.LittleEndian.AppendUint32(value, crc32.Checksum(value, castagnoli))
}

// unseal returns what was sealed, and whether it is what was sealed.
func unseal(value []byte) ([]byte, bool) {
	if len(value) < checksumSize {
		return nil, false
	}
	sealed, sum := value[:len(value)-checksumSize], value[len(value)-checksumSize:]
	return sealed, crc32.Checksum(sealed, castagnoli) == binary.LittleEndian.Uint32(sum)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// appendTime keeps the instant to the nanosecond, not the zone.
func appendTime(b []byte, t time.Time) []byte {
	b = binary.AppendVarint(b, t.Unix())
	return binary.AppendUvarint(b, uint64(t.Nanosecond()))
}

// fields reads what the append functions wrote. Texts are parts of the string read from, not
// copies. After the first defect failed is set and all that is read is zero.
type fields struct {
	rest   string
	failed bool
}

func (f *fields) number() uint64 {
	var n uint64
	for i := 0; i < len(f.rest) && i < binary.MaxVarintLen64; i++ {
		c := f.rest[i]
		if i == binary.MaxVarintLen64-1 && c > 1 {
			break // more than 64 bits
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			f.rest = f.rest[i+1:]
			return n
		}
	}
	f.fail()
	return 0
}

func (f *fields) text() string {
	n := f.number()
	if n > uint64(len(f.rest)) {
		f.fail()
		return ""
	}
	text := f.rest[:n]
	f.rest = f.rest[n:]
	return text
}

// count reads the number of items that follow, each of which takes at least size bytes.
func (f *fields) count(size int) int {
	n := f.number()
	if n > uint64(len(f.rest)/size) {
		f.fail()
		return 0
	}
	return int(n)
}

func (f *fields) byte() byte {
	if f.rest == "" {
		f.fail()
		return 0
	}
	c := f.rest[0]
	f.rest = f.rest[1:]
	return c
}

func (f *fields) time() time.Time {
	n := f.number()
	seconds := int64(n >> 1) // undoes the zigzag of AppendVarint
	if n&1 != 0 {
		seconds = ^seconds
	}
	nanoseconds := f.number()
	if f.failed || nanoseconds >= uint64(time.Second) {
		f.fail()
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanoseconds)).UTC()
}

func (f *fields) fail() {
	f.rest = ""
	f.failed = true
}

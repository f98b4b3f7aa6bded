package bolt

import (
	"encoding/binary"
	"math/bits"
)

// An earlier version of a document that differs little from the one that replaced it is stored as a difference:
//
//	format, length of the content, steps, the last tailSize bytes of the version
//
// The content of a version is what it has before these: its checksum, since, and the checksum of that, which so tell a
// version that was put together wrongly, and let since be read without that. A step is
//
//	length of new bytes, these, distance from where the last copy ended, length of a copy from the content of the newer version
//
// and the last one ends with the new bytes where that completes the content.
const differenceFormat = 4

const tailSize = checksumSize + sinceSize

// isDifference reports whether a version is stored as a difference.
func isDifference(value []byte) bool { return len(value) > 0 && value[0] == differenceFormat }

// difference returns a version as a difference from the newer one. ok is false where it is not worth it, or one of them has
// another format.
func difference(newer, value []byte) (encoded []byte, ok bool) {
	if len(value) <= tailSize || len(newer) <= tailSize || value[0] != documentFormat || newer[0] != documentFormat {
		return nil, false
	}
	content, tail := value[:len(value)-tailSize], value[len(value)-tailSize:]
	most := len(value) / 2
	w := differenceWriter{from: newer[:len(newer)-tailSize], content: content, most: most - tailSize}
	w.out = append(make([]byte, 0, min(most, 128)), differenceFormat)
	w.out = binary.AppendUvarint(w.out, uint64(len(content)))
	if !w.write() {
		return nil, false
	}
	return append(w.out, tail...), true
}

// patch undoes difference. ok is false when it is not a difference from the newer version; that it is one of another
// version, or damaged, only the checksum of the result tells.
func patch(newer, encoded []byte) (value []byte, ok bool) {
	if !isDifference(encoded) || len(encoded) <= tailSize || len(newer) <= tailSize {
		return nil, false
	}
	from, steps, tail := newer[:len(newer)-tailSize], encoded[1:len(encoded)-tailSize], encoded[len(encoded)-tailSize:]
	number := func() int { // -1 for none
		n, read := binary.Uvarint(steps)
		if read <= 0 || n > maxDocument {
			return -1
		}
		steps = steps[read:]
		return int(n)
	}
	size := number()
	value = make([]byte, 0, min(max(size, 0), len(from)+len(steps))+tailSize)
	for end := 0; len(value) < size; {
		fresh := number()
		if fresh < 0 || fresh > len(steps) || fresh > size-len(value) {
			return nil, false
		}
		value, steps = append(value, steps[:fresh]...), steps[fresh:]
		if len(value) == size {
			break
		}
		distance, read := binary.Varint(steps)
		if read <= 0 {
			return nil, false
		}
		steps = steps[read:]
		copied, at := number(), end+int(distance)
		if copied <= 0 || copied > size-len(value) || at < 0 || at > len(from)-copied {
			return nil, false
		}
		value, end = append(value, from[at:at+copied]...), at+copied
	}
	return append(value, tail...), size >= 0 && len(steps) == 0
}

// differenceWriter finds the steps.
type differenceWriter struct {
	from, content []byte
	most          int // how long out may become
	out           []byte
	fresh         int // where the bytes of content begin that have no step yet
	end           int // where the last copy from from ended
}

const (
	window = 8 // bytes that two places must share to be examined
	// smallWindows is how many windows of from fit a table on the stack, mostWindows are those of larger documents that are
	// remembered; later ones take the places of earlier ones.
	smallWindows, mostWindows = 1 << 9, 1 << 14
)

// write finds the steps: the same beginning and the same end, and between them what can be found by windows. It returns false
// where they take too much.
func (w *differenceWriter) write() bool {
	start, most := 0, min(len(w.from), len(w.content))
	for start+window <= most {
		if different := load(w.from, start) ^ load(w.content, start); different != 0 {
			start += bits.TrailingZeros64(different) / 8
			break
		}
		start += window
	}
	for start < most && w.from[start] == w.content[start] {
		start++
	}
	tail := 0
	for tail < most-start && w.from[len(w.from)-1-tail] == w.content[len(w.content)-1-tail] {
		tail++
	}
	if start > 0 && !w.copy(0, 0, start) {
		return false
	}
	if !w.copyWindows(len(w.from)-tail, len(w.content)-tail) {
		return false
	}
	if tail > 0 {
		return w.copy(len(w.from)-tail, len(w.content)-tail, tail)
	}
	return w.fresh == len(w.content) || w.add(len(w.content))
}

// copyWindows writes the steps for what follows the start, up to the given ends.
func (w *differenceWriter) copyWindows(fromEnd, contentEnd int) bool {
	start := w.fresh
	windows := (fromEnd - start) / window
	if windows == 0 || contentEnd-start < window {
		return true
	}
	var small [smallWindows]int32
	places := small[:] // of windows of from, by their hash
	if windows > smallWindows {
		places = make([]int32, min(mostWindows, 1<<bits.Len(uint(windows-1))))
	}
	shift := 64 - bits.Len(uint(len(places)-1))
	hash := func(v uint64) uint64 { return v * 0x9e3779b97f4a7c15 >> shift }
	for n := range windows {
		at := start + n*window
		places[hash(load(w.from, at))] = int32(at)
	}
	for at := start; at+window <= contentEnd; {
		want := load(w.content, at)
		place := int(places[hash(want)])
		if place < start || load(w.from, place) != want { // what is not set is 0
			at += 1 + (at-w.fresh)>>8 // faster through what is new
			if at-w.fresh > w.most {
				return false
			}
			continue
		}
		begin, size := at, window
		for begin > w.fresh && place > 0 && w.from[place-1] == w.content[begin-1] {
			begin, place, size = begin-1, place-1, size+1
		}
		for begin+size < contentEnd && place+size < fromEnd && w.from[place+size] == w.content[begin+size] {
			size++
		}
		if !w.copy(place, begin, size) {
			return false
		}
		at = begin + size
	}
	return true
}

// copy adds the step that copies so many bytes of from to a place of content.
func (w *differenceWriter) copy(place, at, size int) bool {
	if !w.add(at) {
		return false
	}
	w.out = binary.AppendVarint(w.out, int64(place-w.end))
	w.out = binary.AppendUvarint(w.out, uint64(size))
	w.end, w.fresh = place+size, at+size
	return len(w.out) <= w.most
}

// add adds the new bytes up to a place of content.
func (w *differenceWriter) add(to int) bool {
	fresh := w.content[w.fresh:to]
	if len(w.out)+len(fresh) > w.most {
		return false
	}
	w.out = append(binary.AppendUvarint(w.out, uint64(len(fresh))), fresh...)
	w.fresh = to
	return true
}

func load(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

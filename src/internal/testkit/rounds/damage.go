package rounds

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Damage returns the content of a file as a disk, a copy or an editor may damage it, chosen at random, and says how. It may
// happen to be what it was.
func Damage(random *rand.Rand, content []byte) (damaged []byte, what string) {
	used := len(bytes.TrimRight(content, "\x00")) // a file may end with much that is not used yet
	if used == 0 {
		used = len(content)
	}
	if used == 0 {
		return append([]byte{}, byte(random.Uint32())), "a byte appended to nothing"
	}
	damaged = bytes.Clone(content)
	at := random.IntN(used)
	length := min(1+random.IntN(1<<random.IntN(14)), used-at)
	part := bytes.Clone(content[at : at+length])
	switch random.IntN(9) {
	case 0, 1:
		damaged[at] ^= 1 << random.IntN(8)
		what = "a bit flipped"
	case 2:
		damaged, what = damaged[:at], "cut"
	case 3:
		clear(damaged[at : at+length])
		what = fmt.Sprint("zeros, ", length)
	case 4:
		clear(damaged[at:])
		what = "zeros to the end"
	case 5:
		from := random.IntN(used - length + 1)
		copy(damaged[at:at+length], content[from:from+length])
		what = fmt.Sprintf("%d bytes of %d copied", length, from)
	case 6:
		from := random.IntN(used - length + 1)
		copy(damaged[at:at+length], content[from:from+length])
		copy(damaged[from:from+length], part)
		what = fmt.Sprintf("%d bytes exchanged with those of %d", length, from)
	case 7:
		damaged = append(damaged[:at:at], append(part, content[at:]...)...)
		what = fmt.Sprintf("%d bytes there twice", length)
	case 8:
		damaged = append(damaged, part...)
		what = fmt.Sprintf("%d bytes appended", length)
	}
	return damaged, fmt.Sprintf("at %d: %s", at, what)
}

//go:build !linux

package memdir

const memory = ""

func hasRoom() bool { return false }

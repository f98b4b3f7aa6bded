//go:build race

package simulation

// The race detector makes everything ten times slower, and finds in few states what it would in many.
const longStates, longWorlds = 1500, 60

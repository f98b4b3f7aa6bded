//go:build !race

package simulation

const longStates, longWorlds = 12000, 400

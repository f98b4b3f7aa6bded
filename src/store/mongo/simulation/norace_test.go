//go:build !race

package simulation

const defaultStates, defaultWorlds = 12000, 400

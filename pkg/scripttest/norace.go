//go:build !race

package scripttest

const raceEnabled = false

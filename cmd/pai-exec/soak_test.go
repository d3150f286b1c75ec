//go:build soak

package main

import "testing"

func TestSoakKill(t *testing.T) { killCommits(t, 1000, 200) }

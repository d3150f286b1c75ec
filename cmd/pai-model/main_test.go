package main

import (
	"flag"
	"testing"

	"paicode/pkg/scripttest"
)

var _ = flag.Bool("update", false, "rewrite the scripts' golden files")

func TestScripts(t *testing.T) { scripttest.Run(t, "testdata/script") }

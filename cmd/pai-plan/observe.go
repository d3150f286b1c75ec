package main

import (
	"context"

	"paicode/pkg/filter"
	"paicode/pkg/sibling"
)

// observe has pai-exec put the files into the document, if nobody did it yet
// or if they may have changed since: pai-plan opens none itself.
func observe(ctx context.Context, call *filter.Call) error {
	if call.Doc.Workspace() != nil && call.Doc.Error() == nil {
		return nil
	}
	seen, err := sibling.Observe(ctx, call.Root(), call.Doc.Request())
	if err == nil {
		call.Doc.SetWorkspace(seen)
	}
	return err
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// openDoor starts pai-model for all stages to come, if it doesn't run.
func (p *course) openDoor() (err error) {
	if p.door != nil {
		return nil
	}
	stderr := p.Err
	if p.panels {
		stderr = p.screen
	}
	p.door, err = model.Start(stderr)
	return err
}

func (p *course) closeDoor() {
	p.door.Close()
	p.door = nil
}

// connection is one to pai-model for a stage; nil if it is not to have any: what is sealed lacks
// nothing. Where pai-model died, another is started.
func (p *course) connection(stage string, doc *turn.Document) (*os.File, error) {
	if stage == "pai-exec" && doc.Seal() != nil {
		return nil, nil
	}
	if err := p.openDoor(); err != nil {
		return nil, err
	}
	conn, err := p.door.Connect()
	if err != nil {
		p.closeDoor()
		if err = p.openDoor(); err == nil {
			conn, err = p.door.Connect()
		}
	}
	return conn, err
}

// room is how many tokens the plan's question leaves for what is to be seen of the files: it is
// asked of pai-plan, of a document without any.
func (p *course) room(ctx context.Context, doc *turn.Document) (int, error) {
	bare := doc.Clone()
	bare.SetWorkspace(&turn.Workspace{Files: []turn.File{}})
	q, err := p.question(ctx, bare, "pai-plan")
	if failed, readErr := turn.Read([]byte(q)); err != nil && readErr == nil && failed.Error() != nil {
		doc.SetError(failed.Error())
	}
	return max(0, p.tokens-turn.Tokens(len(q))), err
}

// question is what a stage would ask about a document, as it prints it. Where it asks nothing, it
// has said why: the error is an Exit.
func (p *course) question(ctx context.Context, doc *turn.Document, stage string, options ...string) (string, error) {
	args := append([]string{"--show-egress"}, options...)
	out, code, err := sibling.Output(ctx, doc, p.Err, stage, sibling.RootArgs(p.project.Root, args...)...)
	if err == nil && code != 0 {
		err = filter.Exit(code)
	}
	return out, err
}

// estimates are what the stages would cost.
func (p *course) estimates(ctx context.Context, doc *turn.Document) (all []model.Estimate, err error) {
	for _, stage := range []string{"pai-classify", "pai-plan", "pai-exec", "pai-suggest"} {
		out, code, err := sibling.Output(ctx, doc, p.Err, stage, sibling.RootArgs(p.project.Root, "--estimate")...)
		if err == nil && code != 0 {
			err = filter.Exit(code)
		}
		var e model.Estimate
		if err == nil {
			err = json.Unmarshal(bytes.TrimSpace([]byte(out)), &e)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

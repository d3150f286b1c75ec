package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"paicode/pkg/line"
	"paicode/pkg/model"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// command is one of the session's own: what follows "/".
type command struct {
	name, takes, does string
	bare              bool // the word alone means it too
	run               func(p *session, ctx context.Context, argument string)
}

// commands are those of the session, in the order of the help.
func (p *session) commands() []command {
	return []command{
		{"help", "", "list these commands", true, (*session).help},
		{"plan", "", "show the last plan", false, (*session).showPlan},
		{"diff", "", "show what the last turn changes", false, (*session).showDiff},
		{"undo", "[--force] [ID]", "take the last change back, or the one named", true, (*session).undo},
		{"redo", "", "make the change once more that was undone last", true, (*session).redo},
		{"log", "", "list what can be undone or redone", false, (*session).showLog},
		{"show", "[ID]", "show a change that was made", false, (*session).showChange},
		{"model", "[NAME]", "say which model is asked, or choose one for the session", false, (*session).chooseModel},
		{"context", "", "say what the last question showed of the files", false, (*session).showContext},
		{"check", "[CMD]", "run a command on every change from now on; off ends that", false, (*session).setCheck},
		{"clear", "", "forget the conversation", false, (*session).clear},
		{"exit", "", "leave", true, nil},
	}
}

// command does what a line says if it is a command, and reports whether it was one, or is
// likely one that was mistyped.
func (p *session) command(ctx context.Context, text string) (done bool, end line.End) {
	if strings.Contains(text, "\n") {
		return false, line.Sent
	}
	word, argument, _ := strings.Cut(text, " ")
	name, slash := strings.CutPrefix(strings.ToLower(word), "/")
	switch {
	case text == "?":
		name, slash = "help", true
	case name == "quit" && argument == "":
		name, slash = "exit", true
	case strings.EqualFold(text, "undo that"):
		name, slash, argument = "undo", true, ""
	}
	for _, c := range p.commands() {
		if c.name != name || !slash && (!c.bare || argument != "") {
			continue
		}
		if c.run == nil {
			return true, line.Closed
		}
		c.run(p, ctx, strings.TrimSpace(argument))
		return true, line.Sent
	}
	return argument == "" && !p.asked() && p.mistyped(name, slash), line.Sent
}

// mistyped says what a lone word is that was likely meant for something else than a model, and
// reports whether it is one.
func (p *session) mistyped(name string, slash bool) bool {
	names := []string{"quit"}
	for _, c := range p.commands() {
		names = append(names, c.name)
	}
	meant := turn.Nearest(name, names)
	if slices.Contains(names, name) {
		meant = name
	}
	switch {
	case meant != "":
		p.say("did you mean /%s? it wasn't sent", meant)
	case slash && name != "" && !strings.Contains(name, "/"):
		p.say("there is no command %s; /help lists them", turn.Quote("/"+name))
	case slices.Contains([]string{"y", "yes", "n", "no"}, name):
		p.say("nothing is asked; it wasn't sent")
	default:
		return false
	}
	return true
}

// keysHelp are the keys of the line.
const keysHelp = `Enter sends; Ctrl+J, Alt+Enter or a \ at the end begin another line. Up and Ctrl+R find earlier lines, ` +
	`Ctrl+G opens your editor, Tab completes @paths and commands. Ctrl+C clears the line or stops a turn, twice it leaves, as Ctrl+D does.`

// plainHelp is said where nothing is drawn again.
const plainHelp = `Enter sends; a \ at the end begins another line. Ctrl+C stops a turn, twice it leaves, as Ctrl+D does.`

func (p *session) help(context.Context, string) {
	var b strings.Builder
	for _, c := range p.commands() {
		b.WriteString(p.style().Row(fmt.Sprintf("  %-16s %s", strings.TrimSpace("/"+c.name+" "+c.takes), c.does)))
	}
	p.show(b.String())
	if p.console.Plain() {
		p.say("%s", plainHelp)
		return
	}
	p.say("%s", keysHelp)
}

// nothingYet is said where a turn is needed that wasn't.
const nothingYet = "there is no plan yet"

func (p *session) showPlan(context.Context, string) {
	if p.last == nil || p.last.Plan() == nil {
		p.say(nothingYet)
		return
	}
	p.show(p.style().Plan(p.last))
}

func (p *session) showDiff(ctx context.Context, _ string) {
	if p.last == nil || p.last.Exec() == nil {
		p.say(nothingYet)
		return
	}
	switch diff := p.style().Diff(p.last); {
	case diff != "":
		p.page(ctx, diff)
	case p.last.Error() != nil:
		p.say("the plan was not carried out: %s", turn.OneLine(p.last.Error().Message))
	default:
		p.say("nothing changes")
	}
}

func (p *session) showLog(ctx context.Context, _ string) {
	out, code, err := sibling.Output(ctx, nil, p.screen, "pai-exec", sibling.RootArgs(p.project.Root, "--log")...)
	switch {
	case err != nil:
		p.screen.fail(err)
	case code == 0 && out == "":
		p.say("nothing was changed here")
	default:
		p.show(out)
	}
}

func (p *session) showChange(ctx context.Context, id string) {
	args := []string{"--show"}
	if id != "" {
		args = append(args, "--", id)
	}
	p.pass(ctx, args...)
}

// pass leaves a command to pai-exec, and reports whether it did what it should.
func (p *session) pass(ctx context.Context, args ...string) bool {
	code, err := sibling.Passthrough(ctx, p.Streams, "pai-exec", sibling.RootArgs(p.project.Root, args...)...)
	if err != nil {
		p.screen.fail(err)
	}
	return err == nil && code == 0
}

// chooseModel has another model asked for the rest of the session.
func (p *session) chooseModel(_ context.Context, name string) {
	if name != "" {
		if err := model.CheckName(name); err != nil {
			p.screen.fail(err)
			return
		}
		if err := os.Setenv("PAI_MODEL", name); err != nil {
			p.screen.fail(err)
			return
		}
		p.model = name
		p.closeDoor() // another is started with the next question
	}
	p.say("%s", turn.Shown(p.model))
}

// showContext says what of the files went along with the last request.
func (p *session) showContext(context.Context, string) {
	if p.last == nil || p.last.Workspace() == nil {
		p.say("no question was asked yet")
		return
	}
	p.show(p.style().Context(p.last))
}

// setCheck sets the command that is run on every change.
func (p *session) setCheck(_ context.Context, command string) {
	switch command {
	case "":
	case "off":
		p.checks = nil
	default:
		p.checks = []string{command}
	}
	if len(p.checks) == 0 {
		p.say("no check is run")
		return
	}
	p.say("every change is checked by: %s", turn.Shown(strings.Join(p.checks, "; ")))
}

// clear forgets the conversation.
func (p *session) clear(context.Context, string) {
	p.memory.forget()
	p.last, p.offer = nil, ""
	p.say("a new conversation starts")
}

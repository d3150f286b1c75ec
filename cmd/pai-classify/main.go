// Pai-classify finds out whether a request is a chat or a task, and answers
// the chat, with one question to a model.
package main

import (
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/talk"
)

func main() {
	os.Exit(filter.Main(talk.Stage(filter.Stage{
		Name:  "pai-classify",
		Usage: "tell a chat from a task, and answer the chat",
		Examples: `   pai-classify "add a power function"
   echo "what is a closure?" | pai-classify | jq -r .intent.reply`,
		Chats: true,
	}, talk.Phase{Run: classify, Hear: hear, Cost: cost}).App()))
}

#!/bin/sh
# A generator: asks any program that reads a prompt and prints an answer, llm if $ASK is empty.
#
#	ASK='llm -m gpt-5' pai-exec --generator scripts/examples/generator.sh < plan.json
while IFS= read -r question; do
	if answer=$(printf '%s\n' "$question" | jq -r '.system + "\n\n" + .prompt' | sh -c "${ASK:-llm}"); then
		printf '%s\n' "$answer" | jq -Rsc '{text: ., finish: "stop"}'
	else
		echo '{"error": {"stage": "", "code": 7, "message": "the program that was asked failed"}}'
	fi
done

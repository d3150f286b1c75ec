#!/usr/bin/env bash
# The three steps of a reviewed change, on any CI. Each is a job of its own, on a checkout of
# the same commit; the document goes from one to the next.
#
#	pai.sh plan REQUEST [FILE]    with the model's key. Runs nothing of the repository; writes
#	                              $PAI_PLAN, and beside it what a person is shown, .md; the
#	                              model is given FILE too, such as a diff
#	pai.sh check CMD              without secrets: CMD runs on the change, which is taken back
#	pai.sh apply                  after somebody agreed: applies $PAI_PLAN, exactly or not at all
#
# PAI_PLAN is the document, best outside the checkout; PAI_ROOT the checkout (.). PAI_BIN is a
# directory with Pai's commands; empty: they are in PATH. PAI_SHA256, of check and apply, is the sum
# that plan printed: any other document is refused. PAI_AGREE=yes agrees to what is removed,
# PAI_AGREE=risky to what runs code by itself too.
set -euo pipefail

usage() {
	sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
	exit 2
}

[ -n "${PAI_PLAN:-}" ] || usage
plan=$PAI_PLAN
root=(--root "${PAI_ROOT:-.}")
[ -z "${PAI_BIN:-}" ] || PATH=$(cd "$PAI_BIN" && pwd):$PATH

agreed=()
case ${PAI_AGREE:-} in
'') ;;
yes) agreed=(--yes) ;;
risky) agreed=(--yes --allow-risky) ;;
*)
	echo "pai.sh: PAI_AGREE is yes or risky" >&2
	exit 2
	;;
esac

out() { [ -z "${GITHUB_OUTPUT:-}" ] || printf '%s\n' "$1" >>"$GITHUB_OUTPUT"; }

# same refuses a document that isn't the one that was shown.
same() {
	local sum
	sum=$(sha256sum <"$plan")
	if [ -n "${PAI_SHA256:-}" ] && [ "${sum%% *}" != "$PAI_SHA256" ]; then
		echo "pai.sh: $plan isn't the document that was reviewed" >&2
		exit 6
	fi
}

# shown is what people read of a document: the model's words and the diff in a fence that is
# longer than any in them, so that none of it is Markdown, a mention or a link.
shown() {
	local text fence
	text=$(jq -r '(.intent.reply // empty), (.plan.analysis.user_intent // "" | gsub("\\s+"; " ")), "",
		(.plan.question // empty | "It asks: \(.)"), (.error.message // empty | "Error: \(.)"),
		(.plan.execution_plan.steps[]? | "\(.step_number) \(.action) \(.target // "") \(.destination // "") \(.risk // "" | if . == "" then . else "RISK: \(.)" end) \(.caution // "" | if . == "" then . else "caution: \(.)" end)"),
		"", (.exec.steps[]? | .diff // empty), (.plan.check // empty | "It proposes the check: \(.)")
		| gsub("(?<c>[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\x{ad}\\x{200b}-\\x{200f}\\x{2028}-\\x{202e}\\x{2060}-\\x{206f}\\x{feff}\\x{e0000}-\\x{e007f}])"; "[U+\(.c | explode[0])]")' "$plan")
	if [ ${#text} -gt 50000 ]; then
		text="${text:0:50000}"$'\n'"[cut here: the whole stands in the artifact]"
	fi
	fence='```'
	while [[ $text == *"$fence"* ]]; do fence+='`'; done
	if [ ${#fence} -gt 100 ]; then
		text='It holds too many backticks to be shown: read the artifact.' fence='```'
	fi
	if [ "$1" = true ]; then printf '### Pai: a plan to review\n\n'; else printf '### Pai: no change\n\n'; fi
	# shellcheck disable=SC2016 # the backticks are Markdown's
	printf 'Document: `%s`, SHA-256 `%s`. Nothing is applied yet.\n\n%sdiff\n%s\n%s\n' "$(basename "$plan")" "$(sha256sum <"$plan" | cut -d' ' -f1)" "$fence" "$text" "$fence"
}

case ${1:-} in
plan)
	[ -n "${2:-}" ] || usage
	input=${3:-/dev/null}
	[ -r "$input" ] || { echo "pai.sh: $input can't be read" >&2; exit 2; }
	code=0
	said=$(pai "${root[@]}" --output json -- "$2" ${3:+-} 2>&1 >"$plan" <"$input") || code=$?
	changes=$(jq '[.seal.paths // {} | .[] | select(.before != .after)] | length > 0' "$plan")
	if [ "$code" = 3 ] && [ "$changes" = true ]; then
		code=0 # a change that waits for a yes is what was wanted
	elif [ -n "$said" ]; then
		printf '%s\n' "$said" >&2
	fi
	shown "$changes" >"${plan%.json}.md"
	sum=$(sha256sum <"$plan" | cut -d' ' -f1)
	out "sha256=$sum"
	out "changes=$changes"
	printf 'document: %s\nsha256: %s\nfor people: %s\nchanges: %s\n' "$plan" "$sum" "${plan%.json}.md" "$changes"
	exit "$code"
	;;
check)
	same
	[ -n "${2:-}" ] || usage
	change=$(pai-exec "${root[@]}" --yes --allow-risky --check "$2" <"$plan" | jq -r 'select(.exec.applied) | .exec.transaction // empty')
	# What the command wrote over the change goes with it.
	[ -z "$change" ] || pai-exec "${root[@]}" --undo --force "$change" >/dev/null
	echo 'passed'
	;;
apply)
	same
	pai-exec "${root[@]}" "${agreed[@]}" <"$plan" >"${plan%.json}.applied.json"
	jq -r 'if .exec.applied then "applied: \(.exec.transaction)" else "nothing to change" end' "${plan%.json}.applied.json"
	;;
*) usage ;;
esac

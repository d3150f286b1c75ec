# Completion of Pai's commands for bash. Written by go run ./scripts/manual from --help.
# What is typed is compared with words, and never run.
_pai() {
	local name=${COMP_WORDS[0]##*/} words='' i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$name ${COMP_WORDS[i]}" in
		'pai auto' | 'pai config' | 'pai config set' | 'pai config get' | 'pai config list' | 'pai config show' | 'pai config remove' | 'pai config validate' | 'pai models' | 'pai schema' | 'pai undo' | 'pai redo' | 'pai log' | 'pai show' | 'pai completion' | 'pai man') name+=" ${COMP_WORDS[i]}" ;;
		esac
	done
	case ${COMP_WORDS[COMP_CWORD - 1]} in
	--thinking) words='auto off minimal low medium high' ;;
	--output) words='json text diff' ;;
	--ask) words='auto never' ;;
	--model | --base-url | --temperature | --thinking-tokens | --timeout | --stall-timeout | --record | --cache | --cache-days | --cache-bytes | --max-calls | --max-tokens-in | --max-changed-lines | --max-ratio | --max-shrink | --check-write | --root | --check | --send | --context-tokens | --events | --resume | --answer | --provider | --only | --skip | --deny | --allow | --explain | --look | --stat | --generator | --max-phases | --check-timeout | --max-file-bytes | --sealed | --lock-timeout | --keep-days | --keep-bytes) return ;;
	*)
		case "$name ${COMP_WORDS[COMP_CWORD]}" in
		'pai-model -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --list --probe --validate --offline --help --version' ;;
		'pai-suggest -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --max-calls --max-tokens-in --estimate --show-egress --root --events --text --output --help --version' ;;
		'pai-exec -'*) words='--max-changed-lines --max-ratio --max-shrink --check-write --no-check-confine --check-may-write --check-offline --max-calls --max-tokens-in --dry-run --yes --allow-risky --ask --only --skip --deny --allow --explain --rules --observe --look --stat --context-tokens --send --show-egress --estimate --generator --max-phases --check --check-timeout --no-check-first --keep-failing --max-file-bytes --allow-hard-links --no-landlock --log --json --show --undo --redo --sealed --force --lock-timeout --keep-days --keep-bytes --no-sync --root --events --text --output --help --version' ;;
		'pai-plan -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --max-calls --max-tokens-in --estimate --show-egress --context-tokens --send --root --events --text --output --help --version' ;;
		'pai-classify -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --max-calls --max-tokens-in --estimate --show-egress --root --events --text --output --help --version' ;;
		'pai man -'*) words='--help' ;;
		'pai man '*) words='pai classify plan exec suggest' ;;
		'pai completion -'*) words='--help' ;;
		'pai completion '*) words='bash zsh fish' ;;
		'pai show -'*) words='--root --diff --help' ;;
		'pai log -'*) words='--root --json --help' ;;
		'pai redo -'*) words='--root --help' ;;
		'pai undo -'*) words='--root --force --dry-run --output --help' ;;
		'pai schema -'*) words='--help' ;;
		'pai models -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --probe --help' ;;
		'pai config validate -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --offline --help' ;;
		'pai config remove -'*) words='--provider --help' ;;
		'pai config show -'*) words='--provider --help' ;;
		'pai config list -'*) words='--root --help' ;;
		'pai config get -'*) words='--root --help' ;;
		'pai config set -'*) words='--provider --root --help' ;;
		'pai config -'*) words='--help' ;;
		'pai config '*) words='set get list show remove validate' ;;
		'pai auto -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --max-calls --max-tokens-in --max-changed-lines --max-ratio --max-shrink --check-write --no-check-confine --check-may-write --check-offline --root --yes --allow-risky --check --send --context-tokens --events --continue --resume --answer --estimate --show-egress --text --output --help' ;;
		'pai -'*) words='--model --base-url --allow-plain-http --raw --temperature --thinking --thinking-tokens --timeout --stall-timeout --record --cache --cache-days --cache-bytes --max-calls --max-tokens-in --max-changed-lines --max-ratio --max-shrink --check-write --no-check-confine --check-may-write --check-offline --root --yes --allow-risky --check --send --context-tokens --events --continue --resume --answer --estimate --show-egress --text --output --help --version' ;;
		'pai '*) words='auto config models schema undo redo log show completion man' ;;
		esac
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _pai pai pai-classify pai-plan pai-exec pai-suggest pai-model

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
	--output) words='json text diff answer' ;;
	--thinking) words='auto off minimal low medium high' ;;
	--ask) words='auto never' ;;
	--model | --base-url | --root | --check | --resume | --answer | --check-write | --context-tokens | --send | --max-calls | --max-changed-lines | --max-ratio | --max-shrink | --max-tokens-in | --cache | --record | --temperature | --timeout | --events | --provider | --only | --skip | --generator | --check-timeout | --look | --stat | --allow | --deny | --explain | --keep-bytes | --keep-days | --lock-timeout | --sealed | --max-file-bytes | --max-phases | --cache-bytes | --cache-days | --stall-timeout | --thinking-tokens) return ;;
	*)
		case "$name ${COMP_WORDS[COMP_CWORD]}" in
		'pai-model -'*) words='--model --base-url --list --probe --validate --offline --help-all --help --version --allow-plain-http --cache --cache-bytes --cache-days --raw --record --stall-timeout --temperature --thinking --thinking-tokens --timeout' ;;
		'pai-suggest -'*) words='--model --base-url --root --output --help-all --help --version --estimate --show-egress --max-calls --max-tokens-in --cache --raw --record --temperature --thinking --timeout --events --text' ;;
		'pai-exec -'*) words='--dry-run --yes --allow-risky --ask --only --skip --generator --check --root --output --help-all --help --version --check-may-write --check-offline --check-timeout --check-write --keep-failing --no-check-confine --no-check-first --context-tokens --estimate --look --observe --send --show-egress --stat --allow --allow-hard-links --deny --explain --no-landlock --rules --force --json --keep-bytes --keep-days --lock-timeout --log --no-sync --redo --sealed --show --undo --max-calls --max-changed-lines --max-file-bytes --max-phases --max-ratio --max-shrink --max-tokens-in --events --text' ;;
		'pai-plan -'*) words='--model --base-url --root --output --help-all --help --version --context-tokens --estimate --send --show-egress --max-calls --max-tokens-in --cache --raw --record --temperature --thinking --timeout --events --text' ;;
		'pai-classify -'*) words='--model --base-url --root --output --help-all --help --version --estimate --show-egress --max-calls --max-tokens-in --cache --raw --record --temperature --thinking --timeout --events --text' ;;
		'pai man -'*) words='--help' ;;
		'pai man '*) words='pai classify plan exec suggest model document config session context security recipes' ;;
		'pai completion -'*) words='--help' ;;
		'pai completion '*) words='bash zsh fish' ;;
		'pai show -'*) words='--root --diff --help' ;;
		'pai log -'*) words='--root --json --help' ;;
		'pai redo -'*) words='--root --help' ;;
		'pai undo -'*) words='--root --force --dry-run --output --help' ;;
		'pai schema -'*) words='--help' ;;
		'pai models -'*) words='--model --base-url --probe --help-all --help --cache --raw --record --temperature --thinking --timeout' ;;
		'pai config validate -'*) words='--model --base-url --offline --help-all --help --cache --raw --record --temperature --thinking --timeout' ;;
		'pai config remove -'*) words='--provider --help' ;;
		'pai config show -'*) words='--provider --help' ;;
		'pai config list -'*) words='--root --help' ;;
		'pai config get -'*) words='--root --help' ;;
		'pai config set -'*) words='--provider --root --help' ;;
		'pai config -'*) words='--help' ;;
		'pai config '*) words='set get list show remove validate' ;;
		'pai auto -'*) words='--model --base-url --root --yes --allow-risky --check --continue --resume --answer --output --help-all --help --check-may-write --check-offline --check-write --no-check-confine --context-tokens --estimate --send --show-egress --max-calls --max-changed-lines --max-ratio --max-shrink --max-tokens-in --cache --raw --record --temperature --thinking --timeout --events --text' ;;
		'pai -'*) words='--model --base-url --root --yes --allow-risky --check --continue --resume --answer --output --help-all --help --version --check-may-write --check-offline --check-write --no-check-confine --context-tokens --estimate --send --show-egress --max-calls --max-changed-lines --max-ratio --max-shrink --max-tokens-in --cache --raw --record --temperature --thinking --timeout --events --text' ;;
		'pai '*) words='auto config models schema undo redo log show completion man' ;;
		esac
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _pai pai pai-classify pai-plan pai-exec pai-suggest pai-model

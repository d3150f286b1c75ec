# What is done with one repository, $1, on whatever host: fleet puts the settings before
# this text. The sealed document is kept before it is applied, and the first one counts, so
# that whoever comes again, or too, applies that one or finds it applied.
umask 077
mkdir -p "$state/$run" || exit 1
base=$state/$run/$(printf %s "$1" | sha256sum | cut -c1-32)
doc=$base.json

# give prints the document of the end, and waits before it has the job queued again.
give() {
	cat "$2"
	[ "$1" != 8 ] || sleep "$delay"
	exit "$1"
}

# fail keeps a document that ended badly. Parallel tries all failures again: but for those that
# pass by themselves, the second try tells what the first one did.
fail() {
	case $1 in
	8 | 130 | 137 | 143) give "$1" "$2" ;;
	esac
	mv -f -- "$2" "$base.failed.json"
	echo "$1" >"$base.$token"
	give "$1" "$base.failed.json"
}

if [ -e "$base.$token" ]; then
	give "$(cat "$base.$token")" "$base.failed.json"
fi
if [ ! -e "$doc" ]; then
	new=$(mktemp "$base.XXXXXX") || exit 1
	code=0
	if [ -n "$plan" ]; then
		cat -- "$plan" >"$new" || exit 1
		if [ "$(sha256sum <"$new")" != "$sum  -" ]; then
			printf 'fleet: %s on this host is another plan\n' "$plan" >&2
			exit 1
		fi
	else
		pai --root "$1" --output json -- "$request" </dev/null >"$new" || code=$?
	fi
	case $code in
	0 | 3) ;; # 3: what is sealed waits for a yes, or the plan asks something
	*) fail "$code" "$new" ;;
	esac
	sync -- "$new"
	ln -- "$new" "$doc" 2>/dev/null || [ -e "$doc" ] || exit 1
	rm -f -- "$new"
fi
new=$(mktemp "$base.XXXXXX") || exit 1
if [ -n "$review" ]; then
	cp -- "$doc" "$new"
	fail 3 "$new"
fi
set -- --root "$1"
[ -z "$check" ] || set -- "$@" --check "$check"
case $agree in
yes) set -- "$@" --yes ;;
risky) set -- "$@" --yes --allow-risky ;;
esac
code=0
pai-exec "$@" <"$doc" >"$new" || code=$?
case $code in
0) mv -f -- "$new" "$base.done.json" && give 0 "$base.done.json" ;;
4 | 5 | 6 | 9) [ -n "$plan" ] || mv -f -- "$doc" "$base.refused.json" ;; # another run plans anew
# Else the document stands: it waits for a yes, or pai-exec was ended, perhaps after it applied it.
esac
fail "$code" "$new"

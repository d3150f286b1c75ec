#!/bin/sh
# A stage: lists the paths of a plan in a member of its own.
doc=$(cat)
code=$(printf %s "$doc" | jq .error.code) || exit 2
[ "$code" = null ] || { printf '%s\n' "$doc"; exit "${code:-2}"; }
printf %s "$doc" | jq -c '.x_paths = [.plan.execution_plan.steps[]?.target // empty]'

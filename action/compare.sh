#!/bin/sh
# Compares the base and the head of the repository in the working directory by dyno, which builds both,
# and writes a summary in Markdown. action.yml sets DYNO (the program) and INPUT_*; the runner sets
# RUNNER_TEMP, GITHUB_OUTPUT and GITHUB_STEP_SUMMARY. The exit code is that of dyno compare.
set -eu

temp=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
output=${GITHUB_OUTPUT:-/dev/null} summary=${GITHUB_STEP_SUMMARY:-/dev/null}
folder=$temp/dyno-run

fail() {
    echo "dyno action: $1" >&2
    printf '**dyno compared nothing:** %s\n' "$1" >>"$summary"
    echo "exit-code=2" >>"$output"
    exit 2
}

git rev-parse --quiet --verify "$INPUT_BASE^{commit}" >/dev/null ||
    fail "the repository has no revision $INPUT_BASE here: check it out with fetch-depth: 2, or 0 for older ones"
[ -d "$INPUT_DIRECTORY" ] || fail "there is no directory $INPUT_DIRECTORY in $PWD"

# One argument for each line of a list.
set -- --name base --name head --dir "$INPUT_DIRECTORY" --primary "$INPUT_PRIMARY" --budget "$INPUT_BUDGET" --run-folder "$folder"
lines() {
    printf '%s\n' "$1" | while IFS= read -r line; do
        [ -z "$line" ] || printf '%s\n' "$line"
    done
}
[ -z "$INPUT_BUILD" ] || set -- "$@" --build "$INPUT_BUILD"
[ -z "$INPUT_START" ] || set -- "$@" --start "$INPUT_START"
while IFS= read -r path; do set -- "$@" --path "$path"; done <<EOF
$(lines "$INPUT_PATHS")
EOF
while IFS= read -r condition; do [ -z "$condition" ] || set -- "$@" --fail-if "$condition"; done <<EOF
$(lines "$INPUT_FAIL_IF")
EOF
# shellcheck disable=SC2086 # words
set -- "$@" $INPUT_ARGUMENTS

echo "folder=$folder" >>"$output"
code=0
"$DYNO" compare "$@" -- "$(git rev-parse "$INPUT_BASE^{commit}")" "$(git rev-parse HEAD)" >"$temp/dyno.txt" || code=$?
cat "$temp/dyno.txt"
echo "exit-code=$code" >>"$output"
{
    printf '### %s\n\n' "$(git log -1 --format=%s "$INPUT_BASE" | cut -c1-60) → this change"
    case $code in
    0) echo "No condition failed." ;;
    1) echo "**A condition failed or is not shown to be kept, or there is no result.**" ;;
    *) echo "**dyno compare ended with exit code $code; its messages are in the log.**" ;;
    esac
    printf '\n```text\n'
    cat "$temp/dyno.txt"
    printf '```\n'
    if [ -f "$folder/trials.jsonl" ]; then
        printf '\n<details><summary>All figures</summary>\n\n'
        "$DYNO" report --format markdown "$folder" || :
        printf '\n</details>\n'
    fi
} >>"$summary"
exit "$code"

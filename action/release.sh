#!/bin/sh
# Puts the release of this action's version at $DYNO, if there is one for this system, and sets the output taken. Without
# one the action compiles dyno. A file that does not have its checksum ends the job.
set -eu

output=${GITHUB_OUTPUT:-/dev/null}
compile() {
    echo "dyno action: $1; dyno is compiled"
    exit 0
}

case ${ACTION_REF:-} in
v[0-9]*.[0-9]*.[0-9]*) ;;
*) compile "it is used at ${ACTION_REF:-no version}, which is no release" ;;
esac
case $(uname -s)/$(uname -m) in
Linux/x86_64) system=linux_amd64 ;;
Linux/aarch64) system=linux_arm64 ;;
*) compile "releases have no program for $(uname -s) on $(uname -m)" ;;
esac

from=${DYNO_RELEASES:-https://github.com/$ACTION_REPOSITORY/releases/download}/$ACTION_REF
archive=dyno_${ACTION_REF#v}_$system.tar.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for file in checksums.txt "$archive"; do
    curl -fsSL --retry 3 -o "$folder/$file" "$from/$file" || compile "$from/$file could not be fetched"
done
cd "$folder"
grep " [ *]*$archive\$" checksums.txt >checksum || {
    echo "dyno action: $from/checksums.txt does not name $archive" >&2
    exit 1
}
sha256sum --check --status checksum || {
    echo "dyno action: $archive does not have the checksum in $from/checksums.txt" >&2
    exit 1
}
tar -xzf "$archive" dyno
mv dyno "$DYNO"
echo "taken=true" >>"$output"
echo "dyno action: $archive, checksum right"

# venv.sh OUT FILE... copies files and the harness to OUT, and makes a virtual environment with the packages of
# requirements.txt there. It downloads a package once; a build with what is there asks nobody. No file contains
# the name of OUT, which is moved afterwards.
set -e
out=$1
wheels=$XDG_CACHE_HOME/wheels
shift
mkdir -p "$wheels"
cp -r "$@" "${0%/*}/harness.py" "$out"
python3 -m venv "$out/venv"
pip() {
  "$out/venv/bin/python" -m pip "$@" --quiet --require-hashes --only-binary :all: --find-links "$wheels" -r requirements.txt
}
if ! pip install --no-index 2>/dev/null; then
  pip download --dest "$wheels"
  pip install --no-index
fi
rm -r "$out"/venv/lib/python*/site-packages/pip*
find "$out/venv" \( -path '*/venv/bin/*' -o -name RECORD \) -type f -delete
sed -i '/^command/d' "$out/venv/pyvenv.cfg"

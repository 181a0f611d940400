# build.sh NAME OUT builds the package NAME into OUT. What is compiled of other packages stays in the cache, where
# one build works at a time; the package itself is compiled anew, whatever the times of its files say.
set -e
export CARGO_TARGET_DIR=$XDG_CACHE_HOME/cargo
mkdir -p "$CARGO_TARGET_DIR"
exec 9>"$CARGO_TARGET_DIR/lock"
flock 9
cargo clean --quiet --release --locked -p "$1"
cargo build --release --locked
cp "$CARGO_TARGET_DIR/release/$1" Cargo.lock "$2"

//! Does what dyno alone asks of a contestant: an address, a quick stop. It is not counted as the contestant's source.

use std::{env, process};

use tokio::signal::unix::{signal, SignalKind};

/// Returns the address to listen on.
pub fn addr() -> String {
    env::var("DYNO_ADDR").expect("DYNO_ADDR names the address to listen on")
}

/// Ends the process with status 0 on SIGTERM.
pub async fn stop_quickly() {
    signal(SignalKind::terminate()).expect("SIGTERM can be handled").recv().await;
    process::exit(0);
}

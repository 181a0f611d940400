//! Answers TechEmpower's contracts, values and hello with axum, tokio-postgres and Askama.

#[path = "../../../shared/rust-postgres/db.rs"]
mod db;
#[path = "../../../shared/harness-rust/harness.rs"]
mod harness;

use askama::Template;
use axum::{
    extract::{Path, Query, State},
    http::{header, HeaderValue, StatusCode},
    response::Html,
    routing::get,
    Json, Router,
};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tower_http::set_header::SetResponseHeaderLayer;

use db::{Db, Fortune, World};

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

#[derive(Deserialize)]
struct Params {
    queries: Option<String>,
    count: Option<String>,
}

#[derive(Template)]
#[template(path = "fortunes.html")]
struct Fortunes {
    fortunes: Vec<Fortune>,
}

type Failure = (StatusCode, String);

fn internal_error(err: impl ToString) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, err.to_string())
}

async fn value(Path(id): Path<String>) -> Result<&'static str, StatusCode> {
    id.parse::<i64>().map(|_| "value").map_err(|_| StatusCode::NOT_FOUND)
}

async fn json() -> Json<Message> {
    Json(Message { message: "Hello, World!" })
}

async fn world(State(db): State<Db>) -> Result<Json<World>, Failure> {
    db.world().await.map(Json).map_err(internal_error)
}

async fn worlds(State(db): State<Db>, Query(params): Query<Params>) -> Result<Json<Vec<World>>, Failure> {
    db.worlds(&params.queries).await.map(Json).map_err(internal_error)
}

async fn update(State(db): State<Db>, Query(params): Query<Params>) -> Result<Json<Vec<World>>, Failure> {
    db.update(&params.queries).await.map(Json).map_err(internal_error)
}

async fn cached(State(db): State<Db>, Query(params): Query<Params>) -> Result<Json<Vec<World>>, Failure> {
    db.cached(&params.count).await.map(Json).map_err(internal_error)
}

async fn fortunes(State(db): State<Db>) -> Result<Html<String>, Failure> {
    let fortunes = db.fortunes().await.map_err(internal_error)?;
    Fortunes { fortunes }.render().map(Html).map_err(internal_error)
}

#[tokio::main]
async fn main() {
    tokio::spawn(harness::stop_quickly());
    let app = Router::new()
        .route("/api/values/{id}", get(value))
        .route("/hello", get(|| async { "hello world" }))
        .route("/plaintext", get(|| async { "Hello, World!" }))
        .route("/json", get(json))
        .route("/db", get(world))
        .route("/queries", get(worlds))
        .route("/updates", get(update))
        .route("/cached-queries", get(cached))
        .route("/fortunes", get(fortunes))
        .layer(SetResponseHeaderLayer::overriding(header::SERVER, HeaderValue::from_static("axum")))
        .with_state(Db::new());
    let listener = TcpListener::bind(harness::addr()).await.unwrap();
    axum::serve(listener, app).await.unwrap();
}

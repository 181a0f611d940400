//! Answers TechEmpower's contracts, values and hello with Actix Web, tokio-postgres and Askama.

#[path = "../../../shared/rust-postgres/db.rs"]
mod db;
#[path = "../../../shared/harness-rust/harness.rs"]
mod harness;

use actix_web::{
    error::ErrorInternalServerError, get, middleware::DefaultHeaders, web, App, HttpServer, Responder, Result,
};
use askama::Template;
use serde::{Deserialize, Serialize};

use db::{Db, Fortune};

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

#[get("/api/values/{id}")]
async fn value(_id: web::Path<i64>) -> impl Responder {
    "value"
}

#[get("/hello")]
async fn hello() -> impl Responder {
    "hello world"
}

#[get("/plaintext")]
async fn plaintext() -> impl Responder {
    "Hello, World!"
}

#[get("/json")]
async fn json() -> impl Responder {
    web::Json(Message { message: "Hello, World!" })
}

#[get("/db")]
async fn world(db: web::Data<Db>) -> Result<impl Responder> {
    db.world().await.map(web::Json).map_err(ErrorInternalServerError)
}

#[get("/queries")]
async fn worlds(db: web::Data<Db>, params: web::Query<Params>) -> Result<impl Responder> {
    db.worlds(&params.queries).await.map(web::Json).map_err(ErrorInternalServerError)
}

#[get("/updates")]
async fn update(db: web::Data<Db>, params: web::Query<Params>) -> Result<impl Responder> {
    db.update(&params.queries).await.map(web::Json).map_err(ErrorInternalServerError)
}

#[get("/cached-queries")]
async fn cached(db: web::Data<Db>, params: web::Query<Params>) -> Result<impl Responder> {
    db.cached(&params.count).await.map(web::Json).map_err(ErrorInternalServerError)
}

#[get("/fortunes")]
async fn fortunes(db: web::Data<Db>) -> Result<impl Responder> {
    let fortunes = db.fortunes().await.map_err(ErrorInternalServerError)?;
    Fortunes { fortunes }.render().map(web::Html::new).map_err(ErrorInternalServerError)
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web::rt::spawn(harness::stop_quickly());
    let db = web::Data::new(Db::new());
    HttpServer::new(move || {
        App::new()
            .app_data(db.clone())
            .wrap(DefaultHeaders::new().add(("Server", "Actix")))
            .service((value, hello, plaintext, json, world, worlds, update, cached, fortunes))
    })
    .disable_signals()
    .bind(harness::addr())?
    .run()
    .await
}

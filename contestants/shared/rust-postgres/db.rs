//! The queries of TechEmpower's contracts with tokio-postgres, for all contestants of Rust: each is a statement of
//! its own; those of one request are pipelined.

use std::{collections::BTreeSet, env, error::Error};

use deadpool_postgres::{Config, Pool, PoolConfig, Runtime};
use futures_util::future::try_join_all;
use moka::sync::Cache;
use serde::Serialize;
use tokio_postgres::NoTls;

const ROWS: i32 = 10_000;

const READ: &str = "SELECT id, randomnumber FROM world WHERE id = $1";
const UPDATE: &str = "UPDATE world SET randomnumber = new.number
    FROM unnest($1::int[], $2::int[]) AS new (id, number) WHERE world.id = new.id";

pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct World {
    id: i32,
    random_number: i32,
}

pub struct Fortune {
    pub id: i32,
    pub message: String,
}

/// A pool of connections, and a cache of rows.
#[derive(Clone)]
pub struct Db {
    pool: Pool,
    cache: Cache<i32, World>,
}

fn random() -> i32 {
    fastrand::i32(1..=ROWS)
}

/// Returns the number of rows that a parameter asks for: 1 to 500.
fn number(text: &Option<String>) -> usize {
    text.as_ref().and_then(|text| text.parse::<i64>().ok()).unwrap_or(1).clamp(1, 500) as usize
}

impl Db {
    pub fn new() -> Self {
        let mut config = Config::new();
        config.url = Some(env::var("DATABASE_URL").unwrap_or("postgres://localhost/postgres".into()));
        config.pool = Some(PoolConfig::new(PoolConfig::default().max_size.min(30)));
        let pool = config.create_pool(Some(Runtime::Tokio1), NoTls).expect("DATABASE_URL is the address of a database");
        Self { pool, cache: Cache::new(ROWS as u64) }
    }

    async fn read(&self, ids: Vec<i32>) -> Result<Vec<World>> {
        let client = self.pool.get().await?;
        let read = client.prepare_cached(READ).await?;
        let worlds = ids.iter().map(|id| {
            let (client, read) = (&client, &read);
            async move {
                let row = client.query_one(read, &[id]).await?;
                Ok::<_, tokio_postgres::Error>(World { id: row.get(0), random_number: row.get(1) })
            }
        });
        Ok(try_join_all(worlds).await?)
    }

    pub async fn world(&self) -> Result<World> {
        Ok(self.read(vec![random()]).await?[0])
    }

    pub async fn worlds(&self, queries: &Option<String>) -> Result<Vec<World>> {
        self.read((0..number(queries)).map(|_| random()).collect()).await
    }

    pub async fn update(&self, queries: &Option<String>) -> Result<Vec<World>> {
        let mut ids = BTreeSet::new();
        while ids.len() < number(queries) {
            ids.insert(random());
        }
        let mut worlds = self.read(ids.into_iter().collect()).await?;
        for world in &mut worlds {
            world.random_number = random();
        }
        let (ids, numbers): (Vec<_>, Vec<_>) = worlds.iter().map(|world| (world.id, world.random_number)).unzip();
        let client = self.pool.get().await?;
        let update = client.prepare_cached(UPDATE).await?;
        client.execute(&update, &[&ids, &numbers]).await?;
        Ok(worlds)
    }

    pub async fn cached(&self, count: &Option<String>) -> Result<Vec<World>> {
        let mut worlds = Vec::new();
        for _ in 0..number(count) {
            let id = random();
            if let Some(world) = self.cache.get(&id) {
                worlds.push(world);
                continue;
            }
            let world = self.read(vec![id]).await?[0];
            self.cache.insert(id, world);
            worlds.push(world);
        }
        Ok(worlds)
    }

    pub async fn fortunes(&self) -> Result<Vec<Fortune>> {
        let client = self.pool.get().await?;
        let all = client.prepare_cached("SELECT id, message FROM fortune").await?;
        let rows = client.query(&all, &[]).await?;
        let mut fortunes: Vec<_> = rows.iter().map(|row| Fortune { id: row.get(0), message: row.get(1) }).collect();
        fortunes.push(Fortune { id: 0, message: "Additional fortune added at request time.".into() });
        fortunes.sort_by(|a, b| a.message.cmp(&b.message));
        Ok(fortunes)
    }
}

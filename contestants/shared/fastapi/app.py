"""Answers TechEmpower's contracts, values and hello with FastAPI, asyncpg and Jinja."""
import os
from contextlib import asynccontextmanager
from operator import itemgetter
from pathlib import Path
from random import randint, sample

import asyncpg
from cachetools import LRUCache
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.templating import Jinja2Templates

import harness

ROWS = 10_000

READ = 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1'
UPDATE = """UPDATE world SET randomnumber = new.number FROM unnest($1::int[], $2::int[]) AS new (id, number)
WHERE world.id = new.id"""


@asynccontextmanager
async def lifespan(app):
    if "DATABASE_URL" not in os.environ:
        yield
        return
    size = harness.share(10)
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=size, max_size=size) as app.state.pool:
        yield


app = FastAPI(lifespan=lifespan)
templates = Jinja2Templates(directory=Path(__file__).parent / "templates")
cache = LRUCache(ROWS)


def number(text):
    return min(max(int(text), 1), 500) if text.isdecimal() else 1


async def read(connection, id):
    return dict(await connection.fetchrow(READ, id))


@app.get("/api/values/{id:int}", response_class=PlainTextResponse)
async def value(id: int):
    return "value"


@app.get("/hello", response_class=PlainTextResponse)
async def hello():
    return "hello world"


@app.get("/plaintext", response_class=PlainTextResponse)
async def plaintext():
    return "Hello, World!"


@app.get("/json")
async def json():
    return {"message": "Hello, World!"}


@app.get("/db")
async def db():
    async with app.state.pool.acquire() as connection:
        return await read(connection, randint(1, ROWS))


@app.get("/queries")
async def many(queries: str = ""):
    async with app.state.pool.acquire() as connection:
        return [await read(connection, randint(1, ROWS)) for _ in range(number(queries))]


@app.get("/updates")
async def updates(queries: str = ""):
    ids = sorted(sample(range(1, ROWS + 1), number(queries)))
    async with app.state.pool.acquire() as connection:
        worlds = [await read(connection, id) for id in ids]
        for world in worlds:
            world["randomNumber"] = randint(1, ROWS)
        await connection.execute(UPDATE, ids, [world["randomNumber"] for world in worlds])
    return worlds


@app.get("/cached-queries")
async def cached(count: str = ""):
    worlds = []
    for _ in range(number(count)):
        id = randint(1, ROWS)
        world = cache.get(id)
        if world is None:
            async with app.state.pool.acquire() as connection:
                world = cache[id] = await read(connection, id)
        worlds.append(world)
    return worlds


@app.get("/fortunes", response_class=HTMLResponse)
async def fortunes(request: Request):
    async with app.state.pool.acquire() as connection:
        rows = [dict(row) for row in await connection.fetch("SELECT id, message FROM fortune")]
    rows.append({"id": 0, "message": "Additional fortune added at request time."})
    rows.sort(key=itemgetter("message"))
    return templates.TemplateResponse(request=request, name="fortunes.html", context={"fortunes": rows})

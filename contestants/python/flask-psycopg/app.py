"""Answers TechEmpower's contracts, values and hello with Flask, psycopg and Jinja."""
import os
from operator import itemgetter
from random import randint, sample
from threading import Lock

from cachetools import LRUCache, cached
from flask import Flask, Response, render_template, request
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

import harness

ROWS = 10_000

READ = 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = %s'
UPDATE = """UPDATE world SET randomnumber = new.number FROM unnest(%s::int[], %s::int[]) AS new (id, number)
WHERE world.id = new.id"""

app = Flask(__name__)
if "DATABASE_URL" in os.environ:
    pool = ConnectionPool(os.environ["DATABASE_URL"], min_size=harness.share(4), kwargs={"row_factory": dict_row})


def number(name):
    text = request.args.get(name, "")
    return min(max(int(text), 1), 500) if text.isdecimal() else 1


def read(connection, id):
    return connection.execute(READ, (id,)).fetchone()


@cached(LRUCache(ROWS), lock=Lock())
def cached_world(id):
    with pool.connection() as connection:
        return read(connection, id)


@app.get("/api/values/<int:id>")
def value(id):
    return Response("value", mimetype="text/plain")


@app.get("/hello")
def hello():
    return Response("hello world", mimetype="text/plain")


@app.get("/plaintext")
def plaintext():
    return Response("Hello, World!", mimetype="text/plain")


@app.get("/json")
def json():
    return {"message": "Hello, World!"}


@app.get("/db")
def db():
    with pool.connection() as connection:
        return read(connection, randint(1, ROWS))


@app.get("/queries")
def queries():
    with pool.connection() as connection:
        return [read(connection, randint(1, ROWS)) for _ in range(number("queries"))]


@app.get("/updates")
def updates():
    ids = sorted(sample(range(1, ROWS + 1), number("queries")))
    with pool.connection() as connection:
        worlds = [read(connection, id) for id in ids]
        for world in worlds:
            world["randomNumber"] = randint(1, ROWS)
        connection.execute(UPDATE, (ids, [world["randomNumber"] for world in worlds]))
    return worlds


@app.get("/cached-queries")
def cached_queries():
    return [cached_world(randint(1, ROWS)) for _ in range(number("count"))]


@app.get("/fortunes")
def fortunes():
    with pool.connection() as connection:
        rows = connection.execute("SELECT id, message FROM fortune").fetchall()
    rows.append({"id": 0, "message": "Additional fortune added at request time."})
    rows.sort(key=itemgetter("message"))
    return render_template("fortunes.html", fortunes=rows)

// The queries of TechEmpower's contracts with pg, for all contestants of Node.js: each is a statement of its own.
"use strict";

const { LRUCache } = require("lru-cache");

const size = 10000; // rows of world

const random = () => 1 + Math.floor(Math.random() * size);

// times calls make as often as a parameter says: 1 to 500 times.
function times(text, make) {
  const number = /^[0-9]+$/.test(text) ? Number(text) : 1;
  return Promise.all(Array.from({ length: Math.min(Math.max(number, 1), 500) }, make));
}

module.exports = (pool) => {
  const cache = new LRUCache({ max: size });
  pool.on("error", (err) => console.error(err)); // of a connection that nobody uses

  async function read(id) {
    const { rows } = await pool.query('SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1', [id]);
    return rows[0];
  }

  return {
    world: () => read(random()),

    worlds: (text) => times(text, () => read(random())),

    async update(text) {
      const ids = new Set();
      const worlds = await times(text, () => {
        let id = random();
        while (ids.has(id)) {
          id = random();
        }
        ids.add(id);
        return read(id);
      });
      worlds.sort((a, b) => a.id - b.id);
      for (const world of worlds) {
        world.randomNumber = random();
      }
      await pool.query(
        `UPDATE world SET randomnumber = new.number FROM unnest($1::int[], $2::int[]) AS new (id, number)
         WHERE world.id = new.id`,
        [worlds.map((world) => world.id), worlds.map((world) => world.randomNumber)],
      );
      return worlds;
    },

    cached: (text) => times(text, async () => {
      const id = random();
      let world = cache.get(id);
      if (!world) {
        world = await read(id);
        cache.set(id, world);
      }
      return world;
    }),

    async fortunes() {
      const { rows } = await pool.query("SELECT id, message FROM fortune");
      rows.push({ id: 0, message: "Additional fortune added at request time." });
      return rows.sort((a, b) => (a.message < b.message ? -1 : 1));
    },
  };
};

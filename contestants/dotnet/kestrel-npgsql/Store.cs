using Microsoft.Extensions.Caching.Memory;
using Npgsql;

record World(int Id, int RandomNumber);

record Fortune(int Id, string Message);

/// <summary>Answers from the database.</summary>
class Store(NpgsqlDataSource database, IMemoryCache cache)
{
    // An id or a random number: both are from 1 to 10,000.
    static int Draw() => Random.Shared.Next(1, 10_001);

    static int Count(string? text) => int.TryParse(text, out var n) ? Math.Clamp(n, 1, 500) : 1;

    public Task<World> GetWorld() => Read(Draw());

    async Task<World> Read(int id)
    {
        await using var connection = await database.OpenConnectionAsync();
        return await Read(connection, id);
    }

    static async Task<World> Read(NpgsqlConnection connection, int id)
    {
        await using var command = new NpgsqlCommand("SELECT id, randomnumber FROM world WHERE id = $1", connection)
        {
            Parameters = { new NpgsqlParameter<int> { TypedValue = id } },
        };
        await command.PrepareAsync();
        await using var reader = await command.ExecuteReaderAsync();
        await reader.ReadAsync();
        return new World(reader.GetInt32(0), reader.GetInt32(1));
    }

    static async Task<World[]> ReadMany(NpgsqlConnection connection, string? count)
    {
        var worlds = new World[Count(count)];
        for (var i = 0; i < worlds.Length; i++)
        {
            worlds[i] = await Read(connection, Draw());
        }
        return worlds;
    }

    public async Task<World[]> GetWorlds(string? count)
    {
        await using var connection = await database.OpenConnectionAsync();
        return await ReadMany(connection, count);
    }

    public async Task<World[]> UpdateWorlds(string? count)
    {
        await using var connection = await database.OpenConnectionAsync();
        var worlds = await ReadMany(connection, count);
        // All transactions lock rows in the order of their ids, so that none waits for another in a circle.
        Array.Sort(worlds, (a, b) => a.Id - b.Id);
        await using var batch = new NpgsqlBatch(connection); // an implicit transaction
        for (var i = 0; i < worlds.Length; i++)
        {
            worlds[i] = worlds[i] with { RandomNumber = Draw() };
            batch.BatchCommands.Add(new NpgsqlBatchCommand("UPDATE world SET randomnumber = $1 WHERE id = $2")
            {
                Parameters =
                {
                    new NpgsqlParameter<int> { TypedValue = worlds[i].RandomNumber },
                    new NpgsqlParameter<int> { TypedValue = worlds[i].Id },
                },
            });
        }
        await batch.PrepareAsync();
        await batch.ExecuteNonQueryAsync();
        return worlds;
    }

    public async Task<World[]> GetCachedWorlds(string? count)
    {
        var worlds = new World[Count(count)];
        for (var i = 0; i < worlds.Length; i++)
        {
            var id = Draw();
            worlds[i] = (await cache.GetOrCreateAsync(id, _ => Read(id)))!;
        }
        return worlds;
    }

    public async Task<List<Fortune>> GetFortunes()
    {
        var fortunes = new List<Fortune>();
        await using var connection = await database.OpenConnectionAsync();
        await using var command = new NpgsqlCommand("SELECT id, message FROM fortune", connection);
        await command.PrepareAsync();
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            fortunes.Add(new Fortune(reader.GetInt32(0), reader.GetString(1)));
        }
        fortunes.Add(new Fortune(0, "Additional fortune added at request time."));
        fortunes.Sort((a, b) => string.CompareOrdinal(a.Message, b.Message));
        return fortunes;
    }
}

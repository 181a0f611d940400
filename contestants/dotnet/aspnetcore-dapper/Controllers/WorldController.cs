using Dapper;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Caching.Memory;
using Npgsql;

public class WorldController(NpgsqlDataSource database, IMemoryCache cache) : ControllerBase
{
    // An id or a random number: both are from 1 to 10,000.
    static int Draw() => Random.Shared.Next(1, 10_001);

    static int Count(string? text) => int.TryParse(text, out var n) ? Math.Clamp(n, 1, 500) : 1;

    [HttpGet("/db")]
    public Task<World> Get() => Read(Draw());

    [HttpGet("/queries")]
    public async Task<World[]> GetMany(string? queries)
    {
        await using var connection = await database.OpenConnectionAsync();
        return await ReadMany(queries, id => Read(connection, id));
    }

    [HttpGet("/cached-queries")]
    public Task<World[]> GetManyCached(string? count) =>
        ReadMany(count, async id => (await cache.GetOrCreateAsync(id, _ => Read(id)))!);

    [HttpGet("/updates")]
    public async Task<World[]> Update(string? queries)
    {
        await using var connection = await database.OpenConnectionAsync();
        var worlds = await ReadMany(queries, id => Read(connection, id));
        foreach (var world in worlds)
        {
            world.RandomNumber = Draw();
        }
        // All transactions lock rows in the order of their ids, so that none waits for another in a circle.
        Array.Sort(worlds, (a, b) => a.Id - b.Id);
        await using var transaction = await connection.BeginTransactionAsync();
        await connection.ExecuteAsync("UPDATE world SET randomnumber = @RandomNumber WHERE id = @Id", worlds, transaction);
        await transaction.CommitAsync();
        return worlds;
    }

    async Task<World> Read(int id)
    {
        await using var connection = await database.OpenConnectionAsync();
        return await Read(connection, id);
    }

    static Task<World> Read(NpgsqlConnection connection, int id) =>
        connection.QueryFirstAsync<World>("SELECT id, randomnumber FROM world WHERE id = @id", new { id });

    static async Task<World[]> ReadMany(string? count, Func<int, Task<World>> read)
    {
        var worlds = new World[Count(count)];
        for (var i = 0; i < worlds.Length; i++)
        {
            worlds[i] = await read(Draw());
        }
        return worlds;
    }
}

using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Caching.Memory;

public class WorldController(Context database, IMemoryCache cache) : ControllerBase
{
    // An id or a random number: both are from 1 to 10,000.
    static int Draw() => Random.Shared.Next(1, 10_001);

    static int Count(string? text) => int.TryParse(text, out var n) ? Math.Clamp(n, 1, 500) : 1;

    [HttpGet("/db")]
    public Task<World> Get() => Read(Draw());

    [HttpGet("/queries")]
    public Task<World[]> GetMany(string? queries) => ReadMany(queries, Read);

    [HttpGet("/cached-queries")]
    public Task<World[]> GetManyCached(string? count) =>
        ReadMany(count, async id => (await cache.GetOrCreateAsync(id, _ => Read(id)))!);

    [HttpGet("/updates")]
    public async Task<World[]> Update(string? queries)
    {
        var worlds = await ReadMany(queries, id => database.Worlds.FirstAsync(w => w.Id == id));
        foreach (var world in worlds)
        {
            world.RandomNumber = Draw();
            database.Update(world); // also a number that is what it was
        }
        await database.SaveChangesAsync();
        return worlds;
    }

    Task<World> Read(int id) => database.Worlds.AsNoTracking().FirstAsync(w => w.Id == id);

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

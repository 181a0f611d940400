// Answers TechEmpower's scenarios, values and hello with Kestrel, ASP.NET Core's endpoint routing and Npgsql, without MVC.
using Microsoft.Extensions.Caching.Memory;
using Npgsql;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.AddMemoryCache();

var app = builder.Build();
app.MapGet("/api/values/{id:int}", (int id) => "value");
app.MapGet("/hello", () => "hello world");
app.MapGet("/plaintext", () => "Hello, World!");
app.MapGet("/json", () => new { message = "Hello, World!" });
if (Database.ConnectionString is { } connection)
{
    var store = new Store(NpgsqlDataSource.Create(connection), app.Services.GetRequiredService<IMemoryCache>());
    app.MapGet("/db", store.GetWorld);
    app.MapGet("/queries", (string? queries) => store.GetWorlds(queries));
    app.MapGet("/updates", (string? queries) => store.UpdateWorlds(queries));
    app.MapGet("/cached-queries", (string? count) => store.GetCachedWorlds(count));
    app.MapGet("/fortunes", async (HttpResponse response) =>
    {
        response.ContentType = "text/html; charset=utf-8";
        await response.WriteAsync(Page.Of(await store.GetFortunes()));
    });
}
app.Run(Harness.Url);

// Answers scenarios of HttpArena with Kestrel and ASP.NET Core's endpoint routing and response compression.
using System.Security.Cryptography;
using System.Text.Json;

var catalog = JsonSerializer.Deserialize<Item[]>(
    typeof(Item).Assembly.GetManifestResourceStream("items.json")!, JsonSerializerOptions.Web)!;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.AddResponseCompression();

var app = builder.Build();
app.UseResponseCompression();
app.MapGet("/hello", () => "hello world");
app.MapGet("/items", () => catalog);
app.MapPost("/upload", async (HttpRequest request) =>
    Convert.ToHexStringLower(await SHA256.HashDataAsync(request.Body)));
app.Run(Harness.Url);

record Rating(int Score, int Count);

record Item(int Id, string Name, string Category, int Price, int Quantity, bool Active, string[] Tags, Rating Rating);

// Answers the JSON relay scenarios with Kestrel, HttpClient and System.Text.Json: what the service sends comes back as it is, and through
// the serialiser by reflection and by code that its source generator made.
using System.IO.Pipelines;
using System.Text.Json;
using System.Text.Json.Serialization;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);

var upstream = "http://" + Environment.GetEnvironmentVariable("DYNO_RECORDS") + "/data";
using var client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 4000 });

var app = builder.Build();
app.MapGet("/testNoProcess", context => Relay(context, (body, output) => body.CopyToAsync(output)));
app.MapGet("/testReflection", context => Relay(context, async (body, output) =>
{
    var records = await JsonSerializer.DeserializeAsync<List<Record>>(body);
    await JsonSerializer.SerializeAsync(output, records);
}));
app.MapGet("/testNoReflection", context => Relay(context, async (body, output) =>
{
    var records = await JsonSerializer.DeserializeAsync(body, RecordContext.Default.ListRecord);
    await JsonSerializer.SerializeAsync(output, records!, RecordContext.Default.ListRecord);
}));
app.Run(Harness.Url);

async Task Relay(HttpContext context, Func<Stream, PipeWriter, Task> process)
{
    if (Harness.Delay > TimeSpan.Zero)
    {
        await Task.Delay(Harness.Delay, context.RequestAborted);
    }
    using var response = await client.GetAsync(upstream, HttpCompletionOption.ResponseHeadersRead);
    response.EnsureSuccessStatusCode();
    context.Response.ContentType = "application/json";
    await process(await response.Content.ReadAsStreamAsync(), context.Response.BodyWriter);
}

[JsonSerializable(typeof(List<Record>))]
partial class RecordContext : JsonSerializerContext;

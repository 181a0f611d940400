// Answers the JSON relay scenarios with Kestrel and HttpClient: what the service sends comes back as it is, through System.Text.Json's
// serialiser, and through its reader and writer of UTF-8.
using System.IO.Pipelines;
using System.Text.Json;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);

var upstream = "http://" + Environment.GetEnvironmentVariable("DYNO_RECORDS") + "/data";
using var client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 4000 });

var app = builder.Build();
app.MapGet("/testNoProcess", context => Relay(context, (body, output) => body.CopyToAsync(output.AsStream())));
app.MapGet("/testReflection", context => Relay(context, async (body, output) =>
{
    var records = await JsonSerializer.DeserializeAsync<List<Record>>(await body.ReadAsStreamAsync());
    await JsonSerializer.SerializeAsync(output, records);
}));
app.MapGet("/testNoReflection", context => Relay(context, async (body, output) =>
    RecordJson.Write(RecordJson.Read(await body.ReadAsByteArrayAsync()), output)));
app.Run(Harness.Url);

async Task Relay(HttpContext context, Func<HttpContent, PipeWriter, Task> process)
{
    if (Harness.Delay > TimeSpan.Zero)
    {
        await Task.Delay(Harness.Delay, context.RequestAborted);
    }
    using var response = await client.GetAsync(upstream, HttpCompletionOption.ResponseHeadersRead);
    response.EnsureSuccessStatusCode();
    context.Response.ContentType = "application/json";
    await process(response.Content, context.Response.BodyWriter);
}

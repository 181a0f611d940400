// Answers the JSON relay scenarios with Kestrel and HttpClient, as the article did: what the service sends is read as
// a string and comes back as it is, through Newtonsoft.Json, and through the least that reads and writes it by hand.
using Newtonsoft.Json;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);

var upstream = "http://" + Environment.GetEnvironmentVariable("DYNO_RECORDS") + "/data";
using var client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 4000 });

var app = builder.Build();
app.MapGet("/testNoProcess", context => Relay(context, body => body));
app.MapGet("/testReflection", context => Relay(context, body =>
    JsonConvert.SerializeObject(JsonConvert.DeserializeObject<List<Record>>(body))));
app.MapGet("/testNoReflection", context => Relay(context, body => RecordJson.Write(RecordJson.Read(body))));
app.Run(Harness.Url);

async Task Relay(HttpContext context, Func<string, string> process)
{
    if (Harness.Delay > TimeSpan.Zero)
    {
        await Task.Delay(Harness.Delay, context.RequestAborted);
    }
    var body = await client.GetStringAsync(upstream);
    context.Response.ContentType = "application/json";
    await context.Response.WriteAsync(process(body));
}

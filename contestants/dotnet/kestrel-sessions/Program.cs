// Answers the scenarios sessions and sessions-jar with Kestrel and ASP.NET Core's sessions in memory.

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.AddDistributedMemoryCache();
builder.Services.AddSession(options =>
{
    options.Cookie.Name = ".cookiesession.id";
    options.IdleTimeout = TimeSpan.FromMinutes(1);
});

var app = builder.Build();
app.UseSession();
app.MapGet("/setget", async context =>
{
    await Pause(context);
    context.Session.SetString("key", "value");
    await WriteValue(context);
});
app.MapGet("/get", async context =>
{
    await Pause(context);
    await WriteValue(context);
});
app.MapPost("/set", async context =>
{
    await Pause(context);
    context.Session.SetString("key", context.Request.Query["value"].ToString());
});
app.MapDelete("/del", async context =>
{
    await Pause(context);
    context.Session.Remove("key");
});
app.Run(Harness.Url);

// An empty answer is one of a session without the value.
static Task WriteValue(HttpContext context) => context.Response.WriteAsync(context.Session.GetString("key") ?? "");

static Task Pause(HttpContext context) =>
    Harness.Delay > TimeSpan.Zero ? Task.Delay(Harness.Delay, context.RequestAborted) : Task.CompletedTask;

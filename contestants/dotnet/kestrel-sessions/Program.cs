// Answers the scenarios sessions and sessions-jar with Kestrel and ASP.NET Core's sessions in memory.

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Dyno.StopQuickly);
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
    context.Session.SetString("key", "value");
});
app.MapDelete("/del", async context =>
{
    await Pause(context);
    context.Session.Remove("key");
});
app.Run(Dyno.Url);

static async Task WriteValue(HttpContext context)
{
    var value = context.Session.GetString("key");
    if (value is null)
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return;
    }
    context.Response.ContentType = "text/plain; charset=utf-8";
    await context.Response.WriteAsync(value);
}

static Task Pause(HttpContext context) =>
    Dyno.Delay > TimeSpan.Zero ? Task.Delay(Dyno.Delay, context.RequestAborted) : Task.CompletedTask;

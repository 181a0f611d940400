// Answers the scenarios values and hello with Kestrel and ASP.NET Core's endpoint routing, without MVC.

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);

var app = builder.Build();
app.MapGet("/api/values/{id:int}", async (int id, HttpResponse response) =>
{
    if (Harness.Delay > TimeSpan.Zero)
    {
        await Task.Delay(Harness.Delay, response.HttpContext.RequestAborted);
    }
    await response.WriteAsync("value");
});
app.MapGet("/hello", async (HttpResponse response) =>
{
    if (Harness.Delay > TimeSpan.Zero)
    {
        await Task.Delay(Harness.Delay, response.HttpContext.RequestAborted);
    }
    await response.WriteAsync("hello world");
});
app.Run(Harness.Url);

// Answers the scenario values with Kestrel and ASP.NET Core's endpoint routing, without MVC.

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Dyno.StopQuickly);

var app = builder.Build();
app.MapGet("/api/values/{id:int}", async (int id, HttpResponse response) =>
{
    if (Dyno.Delay > TimeSpan.Zero)
    {
        await Task.Delay(Dyno.Delay, response.HttpContext.RequestAborted);
    }
    await response.WriteAsync("value");
});
app.Run(Dyno.Url);

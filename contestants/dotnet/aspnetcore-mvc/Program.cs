// Answers the scenarios values and values-rest with an attribute-routed controller of ASP.NET Core MVC.

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.AddMvcCore();

var app = builder.Build();
app.MapControllers();
app.Run(Harness.Url);

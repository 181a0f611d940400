// Answers the scenarios values and values-rest with an attribute-routed controller of ASP.NET Core MVC, set up whole: views, pages, temp data.

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.AddMvc();

var app = builder.Build();
app.MapControllers();
app.Run(Harness.Url);

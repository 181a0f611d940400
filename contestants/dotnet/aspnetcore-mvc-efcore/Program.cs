// Answers TechEmpower's scenarios, values and hello with controllers and a view of ASP.NET Core MVC and Entity Framework Core.
using System.Text.Unicode;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.WebEncoders;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.Configure<WebEncoderOptions>(options => options.TextEncoderSettings = new(UnicodeRanges.All));
builder.Services.AddControllersWithViews();
builder.Services.AddMemoryCache();
builder.Services.AddDbContextPool<Context>(options => options.UseNpgsql(Database.ConnectionString));

var app = builder.Build();
app.MapControllers();
app.Run(Harness.Url);

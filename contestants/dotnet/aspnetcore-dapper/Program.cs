// Answers TechEmpower's scenarios, values and hello with controllers and a view of ASP.NET Core MVC and Dapper.
using System.Text.Unicode;
using Microsoft.Extensions.WebEncoders;
using Npgsql;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.Configure<WebEncoderOptions>(options => options.TextEncoderSettings = new(UnicodeRanges.All));
builder.Services.AddControllersWithViews();
builder.Services.AddMemoryCache();
builder.Services.AddSingleton(_ => NpgsqlDataSource.Create(Database.ConnectionString ?? ""));

var app = builder.Build();
app.MapControllers();
app.Run(Harness.Url);

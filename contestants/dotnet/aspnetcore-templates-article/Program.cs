// Answers the scenario templates-home with a controller of ASP.NET Core MVC and Razor views with a layout, as the
// article's program did: without the middleware that sends error pages.

var builder = WebApplication.CreateBuilder(new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.AddMvc();

var app = builder.Build();
app.UseStaticFiles();
app.MapControllerRoute("default", "{controller=Home}/{action=Index}/{id?}");
app.Run(Harness.Url);

// Answers the scenario templates with a controller of ASP.NET Core MVC and Razor views with a layout.

var builder = WebApplication.CreateBuilder(new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Logging.ClearProviders();
builder.Services.Configure<HostOptions>(Harness.StopQuickly);
builder.Services.AddMvc();

var app = builder.Build();
app.UseExceptionHandler("/Home/Error/500");
app.UseStatusCodePagesWithReExecute("/Home/Error/{0}");
app.UseStaticFiles();
app.MapControllerRoute("default", "{controller=Home}/{action=Index}/{id?}");
app.Run(Harness.Url);

using Microsoft.AspNetCore.Mvc;

public class HomeController : Controller
{
    public async Task<IActionResult> Index()
    {
        await Pause();
        return View();
    }

    public async Task<IActionResult> About()
    {
        await Pause();
        ViewData["Message"] = "Your application description page.";
        return View();
    }

    public async Task<IActionResult> Contact()
    {
        await Pause();
        ViewData["Message"] = "Your contact page.";
        return View();
    }

    public IActionResult Error(int id = 500)
    {
        Response.StatusCode = id;
        return View(id);
    }

    Task Pause() =>
        Harness.Delay > TimeSpan.Zero ? Task.Delay(Harness.Delay, HttpContext.RequestAborted) : Task.CompletedTask;
}

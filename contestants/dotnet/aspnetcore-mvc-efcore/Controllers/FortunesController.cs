using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;

public class FortunesController(Context database) : Controller
{
    [HttpGet("/fortunes")]
    public async Task<IActionResult> Index()
    {
        var fortunes = await database.Fortunes.AsNoTracking().ToListAsync();
        fortunes.Add(new Fortune { Message = "Additional fortune added at request time." });
        fortunes.Sort((a, b) => string.CompareOrdinal(a.Message, b.Message));
        return View(fortunes);
    }
}

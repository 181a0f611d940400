using Dapper;
using Microsoft.AspNetCore.Mvc;
using Npgsql;

public class FortunesController(NpgsqlDataSource database) : Controller
{
    [HttpGet("/fortunes")]
    public async Task<IActionResult> Index()
    {
        await using var connection = await database.OpenConnectionAsync();
        var fortunes = (await connection.QueryAsync<Fortune>("SELECT id, message FROM fortune")).AsList();
        fortunes.Add(new Fortune { Message = "Additional fortune added at request time." });
        fortunes.Sort((a, b) => string.CompareOrdinal(a.Message, b.Message));
        return View(fortunes);
    }
}

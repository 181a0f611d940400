using Microsoft.AspNetCore.Mvc;

[Route("api/[controller]")]
public class ValuesController : ControllerBase
{
    // GET api/values/5
    [HttpGet("{id:int}")]
    public async Task<string> Get(int id)
    {
        await Pause();
        return "value";
    }

    // PUT api/values/5
    [HttpPut("{id:int}")]
    public async Task Put(int id, [FromBody] string value)
    {
        await Pause();
    }

    // DELETE api/values/5
    [HttpDelete("{id:int}")]
    public async Task Delete(int id)
    {
        await Pause();
    }

    Task Pause() =>
        Harness.Delay > TimeSpan.Zero ? Task.Delay(Harness.Delay, HttpContext.RequestAborted) : Task.CompletedTask;
}

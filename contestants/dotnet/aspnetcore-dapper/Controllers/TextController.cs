using Microsoft.AspNetCore.Mvc;

public class TextController : ControllerBase
{
    [HttpGet("/api/values/{id:int}")]
    public string GetValue(int id) => "value";

    [HttpGet("/hello")]
    public string GetHello() => "hello world";

    [HttpGet("/plaintext")]
    public string GetPlaintext() => "Hello, World!";

    [HttpGet("/json")]
    public object GetJson() => new { message = "Hello, World!" };
}

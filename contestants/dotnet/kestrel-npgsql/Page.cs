using System.Text;
using System.Text.Encodings.Web;
using System.Text.Unicode;

/// <summary>The page of fortunes.</summary>
static class Page
{
    // Escapes what HTML needs escaped. The default would escape all that is not basic Latin, too.
    static readonly HtmlEncoder encoder = HtmlEncoder.Create(UnicodeRanges.All);

    public static string Of(List<Fortune> fortunes)
    {
        var page = new StringBuilder("""
            <!DOCTYPE html>
            <html>
            <head><title>Fortunes</title></head>
            <body>
            <table>
            <tr><th>id</th><th>message</th></tr>

            """);
        foreach (var fortune in fortunes)
        {
            page.Append($"<tr><td>{fortune.Id}</td><td>{encoder.Encode(fortune.Message)}</td></tr>\n");
        }
        return page.Append("</table>\n</body>\n</html>\n").ToString();
    }
}

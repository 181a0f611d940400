using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Core;

[assembly: HostingStartup(typeof(Listeners))]

/// <summary>
/// Lets Kestrel listen at two more addresses, if dyno asks for them: HTTP/1.1, and by ALPN HTTP/2, over TLS at
/// DYNO_TLS_ADDR, with the PEM files DYNO_TLS_CERT and DYNO_TLS_KEY; HTTP/2 in the clear at DYNO_H2C_ADDR.
/// </summary>
/// <remarks>The host runs this by itself when it is built, as it does with each hosting startup of the program.</remarks>
class Listeners : IHostingStartup
{
    public void Configure(IWebHostBuilder builder)
    {
        var (tls, h2c) = (Variable("DYNO_TLS_ADDR"), Variable("DYNO_H2C_ADDR"));
        if (tls is null && h2c is null)
        {
            return;
        }
        builder.ConfigureKestrel(options =>
        {
            options.Listen(IPEndPoint.Parse(Variable("DYNO_ADDR")!)); // Harness.Url counts only where nothing is listed here
            if (tls is not null)
            {
                var certificate = X509Certificate2.CreateFromPemFile(Variable("DYNO_TLS_CERT")!, Variable("DYNO_TLS_KEY"));
                options.Listen(IPEndPoint.Parse(tls), listen => listen.UseHttps(certificate));
            }
            if (h2c is not null)
            {
                options.Listen(IPEndPoint.Parse(h2c), listen => listen.Protocols = HttpProtocols.Http2);
            }
        });
    }

    static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? text : null;
}

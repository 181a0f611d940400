using System.Net;
using System.Net.Sockets;
using System.Text;

/// <summary>
/// Serves figures of the heap at DYNO_STATS, host:port, if it is set, as the harness of Go does: GET /stats.
/// </summary>
static class Stats
{
    const int Patience = 5000; // milliseconds

    // Note: a thread of its own with blocking calls, so that the thread pool stays as the contestant has it; and
    // without Kestrel, whose second address would be one more thing that it serves.
    public static void Serve()
    {
        var address = Environment.GetEnvironmentVariable("DYNO_STATS");
        if (string.IsNullOrEmpty(address))
        {
            return;
        }
        var listener = new TcpListener(IPEndPoint.Parse(address));
        listener.Start();
        new Thread(() => AnswerAll(listener), maxStackSize: 256 << 10) { IsBackground = true, Name = "stats" }.Start();
    }

    static void AnswerAll(TcpListener listener)
    {
        while (true)
        {
            try
            {
                using var client = listener.AcceptTcpClient();
                client.ReceiveTimeout = client.SendTimeout = Patience;
                Answer(client.GetStream());
            }
            catch (Exception e) when (e is IOException or SocketException)
            {
                Console.Error.WriteLine($"serve DYNO_STATS: {e.Message}");
            }
        }
    }

    // Answers one request: what the program has allocated since its start, exactly, which stops it for a moment.
    // What of its heap is in use .NET knows as of its last collection alone: that is not among the figures.
    static void Answer(Stream stream)
    {
        using var reader = new StreamReader(stream, Encoding.ASCII, leaveOpen: true);
        var request = reader.ReadLine() ?? "";
        while (!string.IsNullOrEmpty(reader.ReadLine()))
        {
        }
        var (status, body) = ("404 Not Found", "{}");
        if (request.StartsWith("GET /stats ", StringComparison.Ordinal))
        {
            (status, body) = ("200 OK", $"{{\"total_alloc_bytes\":{GC.GetTotalAllocatedBytes(precise: true)}," +
                $"\"num_gc\":{GC.CollectionCount(0)}}}");
        }
        stream.Write(Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n" +
            $"Content-Length: {body.Length}\r\nConnection: close\r\n\r\n{body}"));
    }
}

using System.Globalization;

/// <summary>
/// Does what dyno alone asks of a contestant: an address, an artificial delay, a quick stop, figures of its heap. It is
/// not counted as the contestant's source.
/// </summary>
static class Harness
{
    // Milliseconds per unit, the longer of two that end alike first.
    static readonly (string Name, double Milliseconds)[] units =
        [("ns", 1e-6), ("us", 1e-3), ("µs", 1e-3), ("ms", 1), ("s", 1e3), ("m", 60e3), ("h", 3600e3)];

    /// <summary>DYNO_ADDR, as the URL that Kestrel listens on.</summary>
    public static string Url => "http://" + Environment.GetEnvironmentVariable("DYNO_ADDR");

    /// <summary>DYNO_DELAY, zero if it is not set. Task.Delay drops fractions of a millisecond: they are rounded up.</summary>
    public static readonly TimeSpan Delay;

    // Note: a constructor, for it runs at the first use of this class (StopQuickly): a bad delay ends the program at its start.
    static Harness()
    {
        Delay = Parse(Environment.GetEnvironmentVariable("DYNO_DELAY"));
        Stats.Serve();
    }

    /// <summary>Gives open requests half a second on SIGTERM, where the host's default is thirty.</summary>
    public static void StopQuickly(HostOptions options) => options.ShutdownTimeout = TimeSpan.FromMilliseconds(500);

    // Reads a Go duration of one number and one unit: "30ms", "1.5s", "500us", "0".
    static TimeSpan Parse(string? text)
    {
        if (text is null or "" or "0")
        {
            return TimeSpan.Zero;
        }
        foreach (var (name, milliseconds) in units)
        {
            if (text.EndsWith(name, StringComparison.Ordinal) &&
                double.TryParse(text[..^name.Length], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number))
            {
                return TimeSpan.FromMilliseconds(Math.Ceiling(number * milliseconds));
            }
        }
        throw new FormatException($"read DYNO_DELAY: \"{text}\" is no duration such as 30ms");
    }
}

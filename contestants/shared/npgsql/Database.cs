using Npgsql;

/// <summary>The database that DATABASE_URL names: postgres://user:password@host:port/database.</summary>
static class Database
{
    /// <summary>DATABASE_URL as a connection string, because Npgsql reads no URLs; null if it is not set.</summary>
    public static string? ConnectionString { get; } = Read(Environment.GetEnvironmentVariable("DATABASE_URL"));

    static string? Read(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            return null;
        }
        var url = new Uri(text);
        var user = url.UserInfo.Split(':', 2);
        return new NpgsqlConnectionStringBuilder
        {
            Host = url.Host,
            Port = url.Port > 0 ? url.Port : 5432,
            Username = Uri.UnescapeDataString(user[0]),
            Password = user.Length > 1 ? Uri.UnescapeDataString(user[1]) : null,
            Database = Uri.UnescapeDataString(url.AbsolutePath[1..]),
            SslMode = SslMode.Disable,
            MaxPoolSize = 30, // so that three servers can share PostgreSQL's default of 100
        }.ConnectionString;
    }
}

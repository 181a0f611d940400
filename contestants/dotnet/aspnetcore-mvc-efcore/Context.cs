using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

public class Context(DbContextOptions<Context> options) : DbContext(options)
{
    public DbSet<World> Worlds => Set<World>();
    public DbSet<Fortune> Fortunes => Set<Fortune>();
}

[Table("world")]
public class World
{
    [Column("id")]
    public int Id { get; set; }

    [Column("randomnumber")]
    public int RandomNumber { get; set; }
}

[Table("fortune")]
public class Fortune
{
    [Column("id")]
    public int Id { get; set; }

    [Column("message")]
    public string Message { get; set; } = "";
}

public class World
{
    public int Id { get; set; }
    public int RandomNumber { get; set; }
}

public class Fortune
{
    public int Id { get; set; }
    public string Message { get; set; } = "";
}

/// <summary>What the service sends an array of.</summary>
class Record
{
    public string Id { get; set; } = "";
    public string Name { get; set; } = "";
    public long Time { get; set; }
}

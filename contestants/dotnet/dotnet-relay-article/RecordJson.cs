using System.Globalization;
using System.Text;

/// <summary>
/// Records from JSON and to JSON as the article's program did it: a loop over spans that knows how the service
/// writes, and a StringBuilder. It reads compact JSON whose texts have no comma, no brace and no escape, and no
/// other.
/// </summary>
static class RecordJson
{
    public static List<Record> Read(ReadOnlySpan<char> text)
    {
        var records = new List<Record>();
        for (var begin = text.IndexOf('{'); begin >= 0; begin = text.IndexOf('{'))
        {
            text = text[(begin + 1)..];
            var end = text.IndexOf('}');
            records.Add(ReadRecord(text[..end]));
            text = text[(end + 1)..];
        }
        return records;
    }

    static Record ReadRecord(ReadOnlySpan<char> fields)
    {
        var record = new Record();
        while (!fields.IsEmpty)
        {
            var comma = fields.IndexOf(',');
            var field = comma < 0 ? fields : fields[..comma];
            fields = comma < 0 ? default : fields[(comma + 1)..];
            var colon = field.IndexOf(':');
            var value = field[(colon + 1)..];
            switch (field[1..(colon - 1)])
            {
                case "Id":
                    record.Id = value[1..^1].ToString();
                    break;
                case "Name":
                    record.Name = value[1..^1].ToString();
                    break;
                case "Time":
                    record.Time = int.Parse(value, CultureInfo.InvariantCulture);
                    break;
            }
        }
        return record;
    }

    // The article's wrote a comma behind the last record as well, which is no JSON.
    public static string Write(List<Record> records)
    {
        var json = new StringBuilder("[");
        foreach (var record in records)
        {
            if (json.Length > 1)
            {
                json.Append(',');
            }
            json.Append("{\"Id\":\"").Append(record.Id).Append("\",\"Name\":\"").Append(record.Name)
                .Append("\",\"Time\":").Append(record.Time).Append('}');
        }
        return json.Append(']').ToString();
    }
}

using System.Globalization;
using System.Text;

/// <summary>Records from JSON and to JSON without reflection: a scanner over the characters, and a StringBuilder.</summary>
static class RecordJson
{
    /// <summary>Reads an array of records. Properties may come in any order; unknown ones are passed over.</summary>
    public static List<Record> Read(ReadOnlySpan<char> text)
    {
        var records = new List<Record>();
        var scanner = new JsonScanner(text);
        scanner.Expect('[');
        if (!scanner.Accept(']'))
        {
            do
            {
                records.Add(ReadRecord(ref scanner));
            }
            while (scanner.Accept(','));
            scanner.Expect(']');
        }
        scanner.ExpectEnd();
        return records;
    }

    static Record ReadRecord(ref JsonScanner scanner)
    {
        var record = new Record();
        scanner.Expect('{');
        if (scanner.Accept('}'))
        {
            return record;
        }
        do
        {
            var name = scanner.ReadString();
            scanner.Expect(':');
            switch (name)
            {
                case "Id":
                    record.Id = scanner.ReadString().ToString();
                    break;
                case "Name":
                    record.Name = scanner.ReadString().ToString();
                    break;
                case "Time":
                    record.Time = scanner.ReadInt64();
                    break;
                default:
                    scanner.SkipValue();
                    break;
            }
        }
        while (scanner.Accept(','));
        scanner.Expect('}');
        return record;
    }

    /// <summary>Writes an array of records, compact.</summary>
    public static string Write(List<Record> records)
    {
        var json = new StringBuilder(84 * records.Count + 2);
        json.Append('[');
        foreach (var record in records)
        {
            if (json.Length > 1)
            {
                json.Append(',');
            }
            json.Append("{\"Id\":");
            AppendString(json, record.Id);
            json.Append(",\"Name\":");
            AppendString(json, record.Name);
            json.Append(CultureInfo.InvariantCulture, $",\"Time\":{record.Time}}}");
        }
        return json.Append(']').ToString();
    }

    static void AppendString(StringBuilder json, ReadOnlySpan<char> text)
    {
        json.Append('"');
        var plain = 0;
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] is >= ' ' and not ('"' or '\\'))
            {
                continue;
            }
            json.Append(text[plain..i]).Append(CultureInfo.InvariantCulture, $"\\u{(int)text[i]:x4}");
            plain = i + 1;
        }
        json.Append(text[plain..]).Append('"');
    }
}

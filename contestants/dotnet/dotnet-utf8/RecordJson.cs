using System.Buffers;
using System.Text.Json;

/// <summary>Records from JSON and to JSON without reflection, token by token.</summary>
static class RecordJson
{
    /// <summary>Reads an array of records. Properties may come in any order; unknown ones are passed over.</summary>
    public static List<Record> Read(ReadOnlySpan<byte> json)
    {
        var records = new List<Record>();
        var reader = new Utf8JsonReader(json);
        Expect(ref reader, JsonTokenType.StartArray);
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            records.Add(ReadRecord(ref reader));
        }
        reader.Read(); // fails if anything follows
        return records;
    }

    static Record ReadRecord(ref Utf8JsonReader reader)
    {
        if (reader.TokenType != JsonTokenType.StartObject)
        {
            throw new JsonException($"JSON at {reader.TokenStartIndex}: want an object");
        }
        var record = new Record();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            if (reader.ValueTextEquals("Id"u8))
            {
                Expect(ref reader, JsonTokenType.String);
                record.Id = reader.GetString()!;
            }
            else if (reader.ValueTextEquals("Name"u8))
            {
                Expect(ref reader, JsonTokenType.String);
                record.Name = reader.GetString()!;
            }
            else if (reader.ValueTextEquals("Time"u8))
            {
                Expect(ref reader, JsonTokenType.Number);
                record.Time = reader.GetInt64();
            }
            else
            {
                reader.Skip();
            }
        }
        return record;
    }

    static void Expect(ref Utf8JsonReader reader, JsonTokenType want)
    {
        if (!reader.Read() || reader.TokenType != want)
        {
            throw new JsonException($"JSON at {reader.TokenStartIndex}: {reader.TokenType}; want {want}");
        }
    }

    /// <summary>Writes an array of records, compact.</summary>
    public static void Write(List<Record> records, IBufferWriter<byte> output)
    {
        using var writer = new Utf8JsonWriter(output);
        writer.WriteStartArray();
        foreach (var record in records)
        {
            writer.WriteStartObject();
            writer.WriteString("Id"u8, record.Id);
            writer.WriteString("Name"u8, record.Name);
            writer.WriteNumber("Time"u8, record.Time);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }
}

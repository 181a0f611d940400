using System.Buffers;
using System.Globalization;
using System.Text;

/// <summary>Walks over JSON text. What it does not find where it must be is a FormatException.</summary>
ref struct JsonScanner(ReadOnlySpan<char> text)
{
    // Of numbers, true, false, null.
    static readonly SearchValues<char> wordChars = SearchValues.Create("+-.0123456789Eaeflnrstu");

    readonly ReadOnlySpan<char> text = text;
    int at;

    /// <summary>Passes over c, if that comes next after white space.</summary>
    public bool Accept(char c)
    {
        if (Peek() != c)
        {
            return false;
        }
        at++;
        return true;
    }

    // Passes over white space; '\0' is the end.
    char Peek()
    {
        while (at < text.Length && text[at] is ' ' or '\n' or '\r' or '\t')
        {
            at++;
        }
        return at < text.Length ? text[at] : '\0';
    }

    public void Expect(char c)
    {
        if (!Accept(c))
        {
            throw Bad($"want {c}");
        }
    }

    public void ExpectEnd()
    {
        Peek();
        if (at < text.Length)
        {
            throw Bad("want the end");
        }
    }

    /// <summary>Reads a string: a part of the text if it has no escapes.</summary>
    public ReadOnlySpan<char> ReadString()
    {
        Expect('"');
        var rest = text[at..];
        var length = rest.IndexOfAny('"', '\\');
        if (length < 0)
        {
            throw Bad("the string does not end");
        }
        if (rest[length] == '\\')
        {
            return ReadEscaped();
        }
        at += length + 1;
        return rest[..length];
    }

    string ReadEscaped()
    {
        var value = new StringBuilder();
        while (at < text.Length)
        {
            var c = text[at++];
            switch (c)
            {
                case '"':
                    return value.ToString();
                case '\\':
                    value.Append(ReadEscape());
                    break;
                default:
                    value.Append(c);
                    break;
            }
        }
        throw Bad("the string does not end");
    }

    char ReadEscape()
    {
        switch (at < text.Length ? text[at++] : '\0')
        {
            case '"': return '"';
            case '\\': return '\\';
            case '/': return '/';
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'u' when at + 4 <= text.Length &&
                    ushort.TryParse(text.Slice(at, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var code):
                at += 4;
                return (char)code;
            default: throw Bad("no such escape");
        }
    }

    public long ReadInt64()
    {
        return long.TryParse(ReadWord(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw Bad("want a whole number");
    }

    ReadOnlySpan<char> ReadWord()
    {
        Peek();
        var rest = text[at..];
        var length = rest.IndexOfAnyExcept(wordChars);
        var word = length < 0 ? rest : rest[..length];
        at += word.Length;
        return word;
    }

    /// <summary>Passes over a value of any kind.</summary>
    public void SkipValue()
    {
        if (Accept('['))
        {
            if (Accept(']'))
            {
                return;
            }
            do
            {
                SkipValue();
            }
            while (Accept(','));
            Expect(']');
        }
        else if (Accept('{'))
        {
            if (Accept('}'))
            {
                return;
            }
            do
            {
                ReadString();
                Expect(':');
                SkipValue();
            }
            while (Accept(','));
            Expect('}');
        }
        else if (Peek() == '"')
        {
            ReadString();
        }
        else if (ReadWord().IsEmpty)
        {
            throw Bad("want a value");
        }
    }

    FormatException Bad(string reason) => new($"JSON at {at}: {reason}");
}

# JSON, for options and results: objects are Dict{String,Any} in, Dict out; the standard library has none.

tojson(value::Nothing) = "null"
tojson(value::Bool) = value ? "true" : "false"
tojson(value::Integer) = string(value)
tojson(value::Real) = isfinite(value) ? string(Float64(value)) : "null"
tojson(value::Symbol) = tojson(String(value))
tojson(value::Union{AbstractArray,Tuple}) = "[" * join(map(tojson, value), ",") * "]"
tojson(value::Pair) = tojson(string(value.first)) * ":" * tojson(value.second)
tojson(value::Union{AbstractDict,NamedTuple}) = "{" * join([tojson(string(key) => each) for (key, each) in pairs(value)], ",") * "}"

function tojson(text::AbstractString)
    out = IOBuffer()
    print(out, '"')
    for c in text
        if c == '"' || c == '\\'
            print(out, '\\', c)
        elseif c < ' '
            print(out, "\\u", string(UInt16(c); base = 16, pad = 4))
        else
            print(out, c)
        end
    end
    print(out, '"')
    String(take!(out))
end

"The value of a JSON text of the library, which is well-formed. null is `nothing`."
parsejson(text::AbstractString) = first(parsejson(codeunits(String(text)), 1))

skipspace(s, at) = (while at <= length(s) && s[at] in b" \n\t\r"; at += 1; end; at)

function parsejson(s, at)
    at = skipspace(s, at)
    c = Char(s[at])
    if c == '{'
        out = Dict{String,Any}()
        at = skipspace(s, at + 1)
        while Char(s[at]) != '}'
            key, at = parsejson(s, at)
            out[key], at = parsejson(s, skipspace(s, at) + 1)
            at = skipspace(s, at)
            Char(s[at]) == ',' && (at = skipspace(s, at + 1))
        end
        return out, at + 1
    elseif c == '['
        list = Any[]
        at = skipspace(s, at + 1)
        while Char(s[at]) != ']'
            value, at = parsejson(s, at)
            push!(list, value)
            at = skipspace(s, at)
            Char(s[at]) == ',' && (at = skipspace(s, at + 1))
        end
        return list, at + 1
    elseif c == '"'
        return parsestring(s, at + 1)
    end
    c == 't' && return true, at + 4
    c == 'f' && return false, at + 5
    c == 'n' && return nothing, at + 4
    to = at
    while to <= length(s) && s[to] in b"+-.eE0123456789"
        to += 1
    end
    text = String(s[at:to-1])
    whole = tryparse(Int64, text)
    return whole === nothing ? parse(Float64, text) : whole, to
end

function parsestring(s, at)
    out = IOBuffer()
    while s[at] != UInt8('"')
        if s[at] != UInt8('\\')
            write(out, s[at])
            at += 1
            continue
        end
        escape = Char(s[at+1])
        at += 2
        if escape == 'u'
            code = parse(UInt32, String(s[at:at+3]); base = 16)
            at += 4
            if 0xd800 <= code < 0xdc00
                low = parse(UInt32, String(s[at+2:at+5]); base = 16)
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                at += 6
            end
            print(out, Char(code))
        else
            print(out, get(Dict('n' => '\n', 't' => '\t', 'r' => '\r', 'b' => '\b', 'f' => '\f'), escape, escape))
        end
    end
    return String(take!(out)), at + 1
end

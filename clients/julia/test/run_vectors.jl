# Runs the vectors that every client must answer: tests/clients/README.md says what they mean.
#   julia run_vectors.jl ROOT [PATTERN]     ROOT: of the repository. Ends with status 1 when a vector fails
using Tacore, SHA, Dates, Logging
using Tacore: parsejson

struct Wrong <: Exception
    text::String
end

root = abspath(ARGS[1])

# ---- Values in the form of the vectors; null is nothing ----

kind(::Type{Bool}) = "bool"
kind(::Type{Int32}) = "int32"
kind(::Type{Int64}) = "int64"
kind(::Type{Float64}) = "double"
kind(::Type{String}) = "string"
kind(::Type{Vector{UInt8}}) = "binary"
kind(::Type{Date}) = "date"
kind(::Type{DateTime}) = "timestamp"
kind(::Type{<:AbstractVector}) = "list"
kind(::Type{<:NamedTuple}) = "struct"
# Values of several types, such as lists with and without missing ones, have a common type that says little.
kindof(column) = isconcretetype(nonmissingtype(eltype(column))) ? kind(nonmissingtype(eltype(column))) : kind(typeof(first(skipmissing(column))))

cell(::Missing) = nothing
cell(value::Bool) = value
cell(value::Int64) = abs(value) <= 2^53 ? value : string(value)
cell(value::Integer) = Int64(value)
cell(value::Float64) = isnan(value) ? "nan" : isinf(value) ? (value > 0 ? "inf" : "-inf") : value
cell(value::String) = value
cell(value::Date) = Dates.value(value - Date(1970))
cell(value::Vector{UInt8}) = bytes2hex(value)
cell(value::AbstractVector) = Any[cell(each) for each in value]
cell(value::NamedTuple) = Dict{String,Any}(string(key) => cell(each) for (key, each) in pairs(value))

equal(found, expected, tolerance) = found == expected && (found isa Bool) == (expected isa Bool)
equal(found::Real, expected::Real, tolerance) =
    (found isa Bool) == (expected isa Bool) && (tolerance == 0 ? found == expected : abs(found - expected) <= tolerance * max(1, abs(expected)))
equal(found::AbstractVector, expected::AbstractVector, tolerance) =
    length(found) == length(expected) && all(equal(a, b, tolerance) for (a, b) in zip(found, expected))
equal(found::Dict, expected::Dict, tolerance) = keys(found) == keys(expected) && all(equal(found[key], expected[key], tolerance) for key in keys(expected))

compare(what, found, expected, tolerance = 0) =
    equal(found, expected, tolerance) || throw(Wrong("$what is $(first(string(found), 200)), expected $(first(string(expected), 200))"))

# ---- What a vector does ----

function check_rows(t, expected)
    compare("num_rows", length(t), expected["num_rows"])
    for (name, column) in (("ids", :id), ("types", :type))
        haskey(expected, name) && compare(name, t[column], expected[name])
    end
    columns = get(expected, "columns", Dict())
    for (name, column) in columns
        found = t[Symbol(name)]
        all(ismissing, found) || compare("type of $name", kindof(found), column["type"])
        exact = column["type"] == "timestamp" ? raw(t, Symbol(name)) : found
        for (i, value) in enumerate(column["values"])
            compare("row $(i - 1) of $name", cell(exact[i]), value)
        end
    end
    if !isempty(columns)
        left = setdiff(string.(propertynames(t)), ["id", "type", keys(columns)...])
        compare("columns beside", count(name -> !startswith(name, "internal:"), left), 0)
    end
end

function check_bytes(bytes, expected)
    compare("size", length(bytes), expected["size"])
    compare("sha256", bytes2hex(sha256(bytes)), expected["sha256"])
end

dtype(T) = T <: AbstractFloat ? "float$(8sizeof(T))" : lowercase(string(T))

function check_array(array, expected)
    tolerance = get(expected, "tolerance", 0)
    compare("shape", collect(reverse(size(array))), expected["shape"])
    compare("dtype", dtype(eltype(array)), expected["dtype"])
    compare("sum", sum(Float64, array), expected["sum"], max(tolerance, 1e-9))
    haskey(expected, "first") && compare("first", Float64.(array[1, 1, :]), expected["first"], tolerance)
    haskey(expected, "sha256") && compare("sha256", bytes2hex(sha256(collect(reinterpret(UInt8, vec(array))))), expected["sha256"])
end

value_of(type, value) = value === nothing ? missing : type == "binary" ? hex2bytes(value) : type == "date" ? Date(1970) + Day(value) :
    type == "timestamp" ? Microsecond(value) : type == "int32" ? Int32(value) : type == "double" ? Float64(value) : value
columns_of(given) = Dict(Symbol(name) => [value_of(column["type"], value) for value in column["values"]] for (name, column) in given)
symbols(given) = (; (Symbol(key) => value for (key, value) in given)...)
function run(vector, base, folder)
    expected, action = get(vector, "expect", nothing), vector["do"]
    if action == "create"
        output = joinpath(folder, vector["output"])
        samples = haskey(vector, "rows") ? columns_of(vector["rows"]) : joinpath(root, vector["from"])
        create(samples, output, vector["collection"]; symbols(get(vector, "options", Dict()))...)
        compare("is_valid", validate(output; deep = true)["is_valid"], expected["is_valid"])
        t = rows(Tacore.open(output))
        check_rows(t, expected["table"])
        for (i, each) in enumerate(expected["bytes"])
            check_bytes(readbytes(t, i), each)
        end
        return
    end
    paths = vector["open"] isa AbstractString ? [vector["open"]] : vector["open"]
    ds = Tacore.open(["$base/$path" for path in paths])
    for step in get(vector, "filters", [])
        how = symbols(filter(pair -> pair.first in ("column", "level"), step))
        ds = haskey(step, "sql") ? sql(ds, step["sql"]) : haskey(step, "bbox") ? filter_bbox(ds, step["bbox"]...; how...) :
             filter_datetime(ds, step["datetime"]; how...)
    end
    if endswith(action, "statistics")
        bands = Int.(vector["bands"])
        found = startswith(action, "computed") ? statistics(rows(ds); bands = bands, compute = true) : statistics(ds; bands = bands)
        for (i, band) in enumerate(expected), (name, value) in band
            compare("$name of band $i", found[i][name], value, vector["tolerance"])
        end
        return
    end
    t = rows(ds)
    i, child = get(vector, "position", 0) + 1, get(vector, "child", nothing)
    if action == "open"
        check_rows(t, expected)
        compare("num_levels", length(about(ds)["levels"]), expected["num_levels"])
    elseif action == "rows"
        check_rows(t, expected)
    elseif action == "children"
        check_rows(children(t, i), expected)
    elseif action == "bytes"
        check_bytes(readbytes(t, i, child), expected)
    elseif action == "pixels"
        type = haskey(vector, "dtype") ? getfield(Base, Symbol(replace(titlecase(vector["dtype"]), "Uint" => "UInt"))) : nothing
        array = pixels(t, i, child; bands = get(vector, "bands", nothing), window = get(vector, "window", nothing), type = type,
                       scale = get(vector, "scale", nothing))
        check_array(array, expected)
    else
        how = copy(get(vector, "options", Dict{String,Any}()))
        inputs = pop!(how, "inputs", [""])
        if haskey(how, "batch_size")
            how["batchsize"] = pop!(how, "batch_size")
        end
        found = collect(Loader(t, inputs; symbols(how)...))
        compare("number of batches", length(found), length(expected["batches"]))
        for (batch, wanted) in zip(found, expected["batches"])
            compare("positions", batch.positions .- 1, wanted["positions"])
            compare("next_start", batch.next_start, wanted["next_start"])
            foreach(check_array, batch.tensors, wanted["tensors"])
        end
    end
end

function fault_of(vector, url)
    mktempdir() do folder
        try
            run(vector, haskey(vector, "remote") ? url : root, folder)
            return haskey(vector, "error") ? "no error, expected $(vector["error"]["code"])" : nothing
        catch error
            haskey(vector, "error") || return sprint(showerror, error)
            error isa Wrong && return "no error, expected $(vector["error"]["code"])"
            error isa TacoError || return sprint(showerror, error)
            code, text = Symbol(lowercase(vector["error"]["code"])), vector["error"]["text"]
            text = text == "5" ? "6" : text  # rows count from 1
            error.code == code || return "$(error.code), expected $code: $(error.message)"
            occursin(text, error.message) || return "no '$text' in: $(error.message)"
            return vector["do"] == "create" && !isempty(readdir(folder)) ? "something is left in the folder of the output" : nothing
        end
    end
end

function main()
    folder = joinpath(root, "tests/clients/vectors")
    vectors = [parsejson(line) for name in readdir(folder) for line in eachline(joinpath(folder, name))]
    length(ARGS) > 1 && filter!(vector -> occursin(ARGS[2], vector["name"]), vectors)
    # Python is started without what Julia needs of the loader.
    server = Base.open(addenv_(`python3 -B $(joinpath(root, "tests/clients/serve.py"))`), "r+")
    url = readline(server)
    Tacore.set_options(max_tries = 1)
    num_failed = 0
    with_logger(NullLogger()) do
        for vector in vectors
            fault = fault_of(vector, url)
            fault === nothing && continue
            num_failed += 1
            println(vector["name"], ": ", fault)
        end
    end
    close(server)
    println(length(vectors), " vectors, ", num_failed, " failed")
    exit(num_failed > 0 || isempty(vectors) ? 1 : 0)
end

addenv_(command) = setenv(command, filter(pair -> !(pair.first in ("LD_PRELOAD", "LD_LIBRARY_PATH")), ENV))

main()

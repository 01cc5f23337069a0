"""
Datasets of Earth observation images in the TACO format.

    using Tacore
    ds = Tacore.open("landsat.tacozip")
    t = rows(sql(ds, "SELECT * FROM data WHERE vegetation > 0.2"))    # t.id, t.vegetation
    A = pixels(t, 1, "optical"; bands = [4, 3, 2])                     # Array{UInt8,3} (x, y, band)

Rows count from 1, bands too, levels from 0. Handles are freed by finalizers. Ctrl-C stops a call, which then leaves nothing
unfinished behind. Errors are a [`TacoError`](@ref).
"""
module Tacore

using Dates, Libdl

export TacoError, Dataset, Rows, Raster, Loader
export concat, sql, filter_bbox, filter_datetime, rows, flatten, about, statistics, describe, export_dataset
export children, gdalpath, readbytes, pixels, raster, preview, raw, dataset, take
export create, validate, convert_dataset, edit, compare, index, collect_datasets, sync, describe_files, tog, header

const SYMBOLS = Dict{Symbol,Ptr{Cvoid}}()
include("libtacore.jl")
include("json.jl")

# ---- The library, in this order: TACORE_HOME, pkg-config, the Python package ----

function find_library()
    folders = [() -> get(ENV, "TACORE_HOME", ""),
               () -> readchomp(pipeline(`pkg-config --variable=prefix tacore_c`; stderr = devnull)),
               () -> readchomp(pipeline(`$(get(ENV, "PYTHON", "python3")) -m tacore --c-library`; stderr = devnull))]
    for folder in folders
        found = try
            joinpath(folder(), "lib", "libtacore_c.so.1")
        catch
            continue
        end
        isabspath(found) && isfile(found) && return found
    end
    error("libtacore_c was not found: pip install tacore, or set TACORE_HOME to its folder")
end

# ---- Errors ----

const CODES = (:format, :schema, :io, :not_found, :query, :validation, :navigation, :unsupported, :cancelled, :argument, :memory, :internal)

"""
    TacoError

An error of the library: `code` is a Symbol (`:not_found`, `:query`, ...: docs/c.md says when), `message` says what and where, and `path`,
`offset` and `level` are where it happened, or `nothing`.
"""
struct TacoError <: Exception
    code::Symbol
    message::String
    path::Union{Nothing,String}
    offset::Union{Nothing,Int}
    level::Union{Nothing,Int}
end
TacoError(code, message) = TacoError(code, message, nothing, nothing, nothing)
Base.showerror(io::IO, error::TacoError) = print(io, "TacoError(", error.code, "): ", error.message)

# The library counts rows from 0: "position 4" is row 5.
inrows(text) = replace(text, r"[Pp]osition (\d+)" => found -> "row $(parse(Int, found[10:end]) + 1)")

function failure(error::Ptr{Cvoid})
    path, offset, level = Ref(C_NULL), Ref(Int64(0)), Ref(Int32(0))
    tacore_error_where(error, path, offset, level, C_NULL)
    code = tacore_error_code(error)
    where_ = path[] == C_NULL ? "" : unsafe_string(Ptr{UInt8}(path[]))
    out = TacoError(1 <= code <= length(CODES) ? CODES[code] : :internal, inrows(unsafe_string(tacore_error_text(error))), isempty(where_) ? nothing : where_,
                    offset[] < 0 ? nothing : Int(offset[]), level[] < 0 ? nothing : Int(level[]))
    tacore_error_free(error)
    out
end

# ---- Calls: in this thread, with Ctrl-C kept until the library has noticed it ----

const POLL = Ref(C_NULL)

# Julia sets this number when Ctrl-C is held back. The library calls poll() in the thread that called it.
poll(done::UInt64, total::UInt64, user::Ptr{Cvoid}) = Int32(unsafe_load(cglobal(:jl_signal_pending, Cint)) != 0)

"""The result of a call `work(out, error)`, or its error. `polled` is false for what calls back into Julia from the library."""
function call(work; polled = true)
    out, error = Ref(C_NULL), Ref(C_NULL)
    Base.disable_sigint() do
        polled && tacore_set_poll(POLL[], C_NULL)
        try
            work(out, error)
        finally
            tacore_set_poll(C_NULL, C_NULL)
        end
    end
    warnings()
    error[] == C_NULL || throw(failure(error[]))
    out[]
end

function warnings()
    lines = Ref(C_NULL)
    tacore_take_log(lines, C_NULL)
    for line in split(buffertext(lines[]), '\n'; keepempty = false)
        entry = parsejson(line)
        entry["level"] == "warning" && @warn entry["message"]
    end
end

function buffertext(buffer)
    out = unsafe_string(Ptr{UInt8}(tacore_buffer_data(buffer)), tacore_buffer_size(buffer))
    tacore_buffer_free(buffer)
    out
end

function bufferbytes(buffer)
    out = Vector{UInt8}(undef, tacore_buffer_size(buffer))
    GC.@preserve out unsafe_copyto!(pointer(out), Ptr{UInt8}(tacore_buffer_data(buffer)), length(out))
    tacore_buffer_free(buffer)
    out
end

options(given) = tojson(Dict(string(key) => value for (key, value) in pairs(given) if value !== nothing))
ctext(text) = text === nothing ? Cstring(C_NULL) : String(text)
child_text(child) = child === nothing ? Cstring(C_NULL) : String(child)

# ---- Datasets ----

"""
A dataset, or a query over one: filters return a new one, and nothing runs before rows are needed. Its properties are the members of
COLLECTION.json: `ds.id`, `ds.licenses`, `ds.extent`, ...
"""
mutable struct Dataset
    handle::Ptr{Cvoid}
    collection::Dict{String,Any}
    function Dataset(handle)
        out = new(handle, parsejson(unsafe_string(tacore_dataset_collection(handle))))
        finalizer(x -> tacore_dataset_free(getfield(x, :handle)), out)
    end
end
handle(x) = getfield(x, :handle)
Base.getproperty(ds::Dataset, name::Symbol) =
    name === :collection ? getfield(ds, :collection) : get(() -> error("$(ds.collection["id"]) has no member $name"), getfield(ds, :collection), String(name))
Base.propertynames(ds::Dataset, private = false) = (:collection, Symbol.(keys(getfield(ds, :collection)))...)
Base.show(io::IO, ds::Dataset) = print(io, "Tacore.Dataset ", get(getfield(ds, :collection), "id", ""))

"""
    Tacore.open(path; options...)
    Tacore.open(paths; mode = "intersection", options...)

Opens a dataset of any format of TACO, local or remote, reading only headers and footers; several paths are concatenated. Options: `mode`
(`"intersection"`, `"fill_missing"`, `"strict"`), `allow_partial`, `verify`, and those of remote paths (`max_tries`, `timeout` in seconds,
`token`, `cache_dir`, ...). Throws a `TacoError` of `:not_found`, `:format`, `:schema` or `:io`.
"""
open(path::AbstractString; how...) = open([path]; how...)
function open(paths::AbstractVector; how...)
    texts = String.(paths)
    GC.@preserve texts begin
        pointers = Cstring[Base.unsafe_convert(Cstring, Base.cconvert(Cstring, text)) for text in texts]
        Dataset(call((out, error) -> tacore_open(pointers, length(pointers), options(how), out, error)))
    end
end

"Concatenates datasets, each with its filters. `mode` as of `Tacore.open`."
function concat(datasets::Dataset...; mode = "intersection")
    handles = Ptr{Cvoid}[handle(each) for each in datasets]
    GC.@preserve datasets Dataset(call((out, error) -> tacore_concat(handles, length(handles), String(mode), out, error)))
end

"    sql(ds, query)\n\nThe rows that a SELECT statement over `data`, `level0`, `level1`, ... returns."
sql(ds::Dataset, query) = Dataset(call((out, error) -> tacore_dataset_sql(handle(ds), String(query), out, error)))

"    filter_bbox(ds, west, south, east, north; column, level = 0)\n\nSamples whose place meets the box, in degrees; `west > east` crosses the antimeridian."
function filter_bbox(ds::Dataset, west, south, east, north; column = nothing, level = 0)
    box = Float64[west, south, east, north]
    Dataset(call((out, error) -> tacore_dataset_filter_bbox(handle(ds), box, ctext(column), level, out, error)))
end

"    filter_datetime(ds, range; column, level = 0)\n\nSamples in `\"2023-06-01/2023-08-31\"` (both ends included), `\"2023-06\"`, or between two dates or times."
function filter_datetime(ds::Dataset, range; column = nothing, level = 0)
    text = range isa AbstractString ? String(range) : join(map(moment, range isa TimeType ? (range,) : range), "/")
    Dataset(call((out, error) -> tacore_dataset_filter_datetime(handle(ds), text, ctext(column), level, out, error)))
end
moment(day::Date) = string(day)
moment(time::DateTime) = string(time) * "Z"

"    about(ds)\n\nA Dict: path, format, num_rows, levels, pit_schema, extent, files."
about(ds::Dataset) = parsejson(buffertext(call((out, error) -> tacore_dataset_about(handle(ds), out, error))))

"    describe(ds, form = \"markdown\"; options...)\n\nA text; other forms are html, stac, croissant, datacite and datacard."
describe(ds::Dataset, form = "markdown"; how...) =
    buffertext(call((out, error) -> tacore_dataset_describe(handle(ds), String(form), options(how), out, error)))

"    export_dataset(ds, output; options...)\n\nWrites the rows as a new dataset. Returns the paths of its files."
export_dataset(ds::Dataset, output; how...) =
    String.(parsejson(buffertext(call((out, error) -> tacore_export(handle(ds), String(output), options(how), out, error)))))

# ---- Rows ----

include("columns.jl")

"""
Rows that have been computed, a table: `t.id`, `t.vegetation`, `t[Symbol("stac:crs")]`; with Tables.jl also `DataFrame(t)`. Columns are vectors,
of `Union{Missing,T}` only where values are missing; those of texts make a `String` when one is looked at, and cannot be changed. Times are
`DateTime`, which holds milliseconds: [`raw`](@ref) has the microseconds.
"""
mutable struct Rows
    handle::Ptr{Cvoid}
    names::Vector{Symbol}
    columns::Vector{AbstractVector}
    exact::Vector{Any}
    function Rows(handle)
        out = new(handle, Symbol[], AbstractVector[], Any[])
        finalizer(x -> tacore_frame_free(getfield(x, :handle)), out)
        stream = Ref(ArrowStream())
        call((_, error) -> tacore_frame_stream(handle, TACORE_PLAIN, Base.unsafe_convert(Ptr{Cvoid}, stream), error))
        for (name, column, exact) in read_columns(stream)
            push!(getfield(out, :names), name)
            push!(getfield(out, :columns), column)
            push!(getfield(out, :exact), exact)
        end
        out
    end
end
columnnames(t::Rows) = getfield(t, :names)
function Base.getindex(t::Rows, name::Symbol)
    at = findfirst(==(name), columnnames(t))
    at === nothing && throw(TacoError(:query, "there is no column $name; there are $(join(columnnames(t), ", "))"))
    getfield(t, :columns)[at]
end
Base.getproperty(t::Rows, name::Symbol) = t[name]
Base.propertynames(t::Rows, private = false) = Tuple(columnnames(t))
Base.length(t::Rows) = Int(tacore_frame_num_rows(handle(t)))
Base.size(t::Rows) = (length(t), length(columnnames(t)))
Base.show(io::IO, t::Rows) = print(io, "Tacore.Rows: ", length(t), " rows of ", join(columnnames(t), ", "))

"    raw(t, name)\n\nA column with exact times: microseconds since 1970 as Int64. Others as they are."
raw(t::Rows, name::Symbol) = (column = t[name]; exact = getfield(t, :exact)[findfirst(==(name), columnnames(t))]; exact === nothing ? column : exact)

"    rows(ds; raw = false)\n\nRuns the query. `raw` keeps all columns internal:*."
rows(ds::Dataset; raw = false) = Rows(call((out, error) -> tacore_dataset_rows(handle(ds), raw ? TACORE_RAW : Int32(0), out, error)))

"    flatten(ds; level = -1)\n\nThe FILEs of a level (-1: the deepest), each with the columns of its ancestors."
flatten(ds::Dataset; level = -1) = Rows(call((out, error) -> tacore_dataset_flatten(handle(ds), level, out, error)))

function positions(t::Rows, at)
    out = Int64[i - 1 for i in at]
    for i in out
        0 <= i < length(t) || throw(TacoError(:navigation, "row $(i + 1) does not exist: there are $(length(t))"))
    end
    out
end
position(t::Rows, i::Integer) = positions(t, (i,))[1]

"    take(t, rows)\n\nThe rows with these numbers, or where a vector of Bool is true, in this order."
take(t::Rows, at::AbstractVector{Bool}) = take(t, findall(at))
function take(t::Rows, at)
    chosen = positions(t, at)
    Rows(call((out, error) -> tacore_frame_take(handle(t), chosen, length(chosen), out, error)))
end

"    dataset(t)\n\nThese rows as a dataset, to be exported."
dataset(t::Rows) = Dataset(call((out, error) -> tacore_frame_dataset(handle(t), out, error)))

"    children(t, row, child = nothing)\n\nThe children of a FOLDER: of a row, or of what is below it at a path of ids."
children(t::Rows, i::Integer, child = nothing) =
    Rows(call((out, error) -> tacore_frame_children(handle(t), position(t, i), child_text(child), out, error)))

"    gdalpath(t, row, child = nothing)\n\nThe path under which GDAL opens a FILE, as ArchGDAL and Rasters do."
gdalpath(t::Rows, i::Integer, child = nothing) =
    buffertext(call((out, error) -> tacore_frame_path(handle(t), position(t, i), child_text(child), out, error)))

"    readbytes(t, row, child = nothing)\n    readbytes(t, rows, child = nothing)\n\nThe bytes of a FILE, or of several, whose neighbours are read together."
readbytes(t::Rows, i::Integer, child = nothing) = readbytes(t, [i], child)[1]
function readbytes(t::Rows, at, child = nothing)
    chosen = positions(t, at)
    buffers = fill(C_NULL, length(chosen))
    call((_, error) -> tacore_frame_read(handle(t), chosen, length(chosen), child_text(child), buffers, error))
    map(bufferbytes, buffers)
end

"""
    statistics(ds; bands, child, level, id, quantiles)
    statistics(t; bands, child, quantiles, compute = false, on_error, jobs)

Statistics of bands (from 1), a vector of Dicts: those that samples store; with `compute = true` of all pixels of the rows.
"""
statistics(ds::Dataset; how...) = parsejson(buffertext(call((out, error) -> tacore_dataset_statistics(handle(ds), options(how), out, error))))
function statistics(t::Rows; how...)
    found = parsejson(buffertext(call((out, error) -> tacore_frame_statistics(handle(t), options(how), out, error))))
    found isa Dict ? found["bands"] : found
end

# ---- Pixels ----

const TYPES = (UInt8, Int8, UInt16, Int16, UInt32, Int32, UInt64, Int64, Float32, Float64)

"A raster that is open for reading. Throws a `TacoError` of `:unsupported` for what is no TIFF that tacore decodes: GDAL opens its path."
mutable struct Raster
    handle::Ptr{Cvoid}
    Raster(handle) = finalizer(x -> tacore_raster_free(x.handle), new(handle))
end

"    raster(t, row, child = nothing)\n    raster(path)\n\nOpens the raster of a FILE, or of a path."
raster(t::Rows, i::Integer, child = nothing) =
    Raster(call((out, error) -> tacore_raster_open(handle(t), position(t, i), child_text(child), out, error)))
raster(path::AbstractString) = Raster(call((out, error) -> tacore_raster_open_path(String(path), out, error)))

"    about(raster)\n\nA Dict: width, height, bands, dtype, nodata, crs, geotransform, format, compression, ..."
about(r::Raster) = parsejson(buffertext(call((out, error) -> tacore_raster_about(r.handle, out, error))))

"""
    pixels(t, row, child = nothing; bands, window, type, scale, fill)
    pixels(raster; ...)

Pixels as an `Array{T,3}` of (x, y, band), as ArchGDAL and Rasters have them: the bytes of the library without a copy. `bands` count from 1;
`window` is (x, y, width, height) in pixels, from 0; `scale` a factor, or for each band a factor or (factor, offset); `fill` replaces no data.
"""
pixels(t::Rows, i::Integer, child = nothing; how...) = pixels(raster(t, i, child); how...)
function pixels(r::Raster; bands = nothing, window = nothing, type = nothing, scale = nothing, fill = nothing)
    shape, stored = zeros(Int64, 3), Ref(Int32(0))
    tacore_raster_shape(r.handle, shape, stored)
    T = type !== nothing ? type : scale !== nothing ? Float32 : TYPES[stored[] + 1]
    kind = findfirst(==(T), TYPES)
    kind === nothing && throw(TacoError(:query, "type $T: one of $(join(TYPES, ", ")) expected"))
    chosen = bands === nothing ? Int32[] : Int32.(collect(bands))
    place = window === nothing ? C_NULL : Int64.(collect(window))
    width, height = shape[3], shape[2]
    if window !== nothing
        length(place) == 4 || throw(TacoError(:query, "window: (x, y, width, height) expected"))
        inside = 1 <= place[3] <= width && 1 <= place[4] <= height
        width, height = inside ? (place[3], place[4]) : (1, 1)  # the library refuses other windows
    end
    out = Array{T,3}(undef, width, height, bands === nothing ? shape[1] : length(chosen))
    call((_, error) -> tacore_raster_read(r.handle, bands === nothing ? C_NULL : chosen, length(chosen), place, kind - 1,
                                          options((scale = scale, fill = fill)), out, sizeof(out), error))
    out
end

"    preview(t, row, child = nothing; bands, size)\n\nA small picture as PNG, a vector of bytes."
preview(t::Rows, i::Integer, child = nothing; how...) = preview(raster(t, i, child); how...)
preview(r::Raster; how...) = bufferbytes(call((out, error) -> tacore_raster_preview(r.handle, options(how), out, error)))

# ---- Batches ----

"""
    Loader(t, inputs; batchsize = 1, seed, epoch = 0, start = 0, options...)

An epoch of batches, read in other threads, in an order that depends on `seed` and `epoch` alone and is the same in every language. `inputs` are
texts such as `"optical/4,3"` and `"mask"`, or named tuples of `path`, `bands`, `window`, `dtype`, `scale`, `fill`. Iterating gives named tuples:
`tensors` (an array of (x, y, band, sample) for each input), `positions` (rows, from 1), `next_start` (the `start` that continues after it),
`failures`. Options: `shuffle_block`, `shuffle_window`, `drop_last`, `pad`, `rank`, `world_size`, `jobs`, `prefetch`, `on_error`.

    for batch in Loader(t, ["optical/3,4", "mask"]; batchsize = 32, seed = 0)
        size(batch.tensors[1])
    end
"""
mutable struct Loader
    handle::Ptr{Cvoid}
    function Loader(t::Rows, inputs = [""]; batchsize = 1, how...)
        given = merge(Dict{Symbol,Any}(how), Dict{Symbol,Any}(:inputs => inputs isa AbstractVector ? inputs : [inputs], :batch_size => batchsize))
        out = new(call((out, error) -> tacore_loader_new(handle(t), options(given), out, error)))
        finalizer(x -> tacore_loader_free(x.handle), out)
    end
end
Base.length(loader::Loader) = Int(tacore_loader_num_batches(loader.handle))

function Base.iterate(loader::Loader, state = nothing)
    batch = call((out, error) -> tacore_loader_next(loader.handle, out, error))
    batch == C_NULL && return nothing
    try
        tensors = map(0:tacore_batch_num_tensors(batch)-1) do i
            data, shape, type = Ref(C_NULL), zeros(Int64, 4), Ref(Int32(0))
            tacore_batch_tensor(batch, i, data, shape, type)
            T = TYPES[type[] + 1]
            out = Array{T,4}(undef, shape[4], shape[3], shape[2], shape[1])
            GC.@preserve out unsafe_copyto!(pointer(out), Ptr{T}(data[]), length(out))
            out
        end
        at, num, start = Ref(Ptr{Int64}(C_NULL)), Ref(Csize_t(0)), Ref(Int64(0))
        tacore_batch_positions(batch, at, num, start)
        found = copy(unsafe_wrap(Array, at[], num[])) .+ 1
        failures = parsejson(unsafe_string(tacore_batch_failures(batch)))
        return (tensors = tensors, positions = found, next_start = start[], failures = failures), nothing
    finally
        tacore_batch_free(batch)
    end
end

# ---- Writing and checking ----

"""
    create(samples, output, collection; options...)

Writes a dataset, whole or not at all: a ZIP when `output` ends in .tacozip, else a folder. `samples` are columns (a named tuple or Dict of vectors)
with `id`, and `path` or `data` (vectors of bytes); all others are metadata. Or the path of a folder or a table. `collection` has at least `id`,
`description`, `licenses`, `providers`, `tasks`. Options: `extensions`, `overwrite`, `places`, `split_size`, `tog`, `id_column`, `path_column`,
`time_column`, `rename`, `jobs`, ... Returns the paths of its files.

    create((id = ["a"], data = [UInt8[1, 2]], label = ["water"]), "chips.tacozip",
           (id = "chips", description = "Chips", licenses = ["MIT"], providers = [(name = "P",)], tasks = ["classification"]))
"""
function create(samples, output, collection; id_column = nothing, path_column = nothing, time_column = nothing, rename = nothing,
                separator = nothing, how...)
    table = options((id_column = id_column, path_column = path_column, time_column = time_column, rename = rename, separator = separator))
    made = if samples isa AbstractString
        call((out, error) -> tacore_samples_from_path(String(samples), table, out, error))
    else
        stream = write_columns(samples)
        # Without polling, so that the callbacks of the stream come in this thread.
        call((out, error) -> tacore_samples_from_rows(Base.unsafe_convert(Ptr{Cvoid}, stream), table, out, error); polled = false)
    end
    about = merge(Dict{String,Any}("dataset_version" => "1.0.0"), Dict{String,Any}(string(key) => value for (key, value) in pairs(collection)))
    try
        String.(parsejson(buffertext(call((out, error) -> tacore_create(made, String(output), tojson(about), options(how), out, error)))))
    finally
        tacore_samples_free(made)
    end
end

run(operation; how...) = parsejson(buffertext(call((out, error) -> tacore_run(operation, options(how), out, error))))

"    validate(path; deep = false)\n\nChecks a dataset by the rules of the specification: a Dict of is_valid and issues."
validate(path; how...) = run("validate"; path = path, how...)
"    convert_dataset(input, output; options...)\n\nChanges the format of a dataset: ZIP, folder, versions 0.x. Returns paths."
convert_dataset(input, output; how...) = String.(run("convert"; input = input, output = output, how...)["paths"])
"    edit(path; set, unset, columns, drop, level)\n\nChanges COLLECTION.json and columns in place."
edit(path; how...) = (run("edit"; path = path, how...); path)
"    compare(a, b)\n\nCompares two datasets: a Dict of equal and the differences."
compare(a, b; how...) = run("diff"; a = a, b = b, how...)
"    index(paths; output)\n\nMakes a .tacocat over several datasets. Returns its path."
index(paths; how...) = run("index"; inputs = paths, how...)["path"]
"    collect_datasets(paths; output)\n\nMakes a TACOLLECTION.json of several datasets. Returns its path."
collect_datasets(paths; how...) = run("collect"; inputs = paths, how...)["path"]
"    sync(from, to)\n\nCopies a dataset to a chunk store, or from one: a Dict of numbers."
sync(from, to; how...) = run("sync"; from = from, to = to, how...)
"    describe_files(path, output; form = \"all\")\n\nWrites descriptions as files."
describe_files(path, output; how...) = run("describe"; path = path, output = output, how...)["path"]
"    tog(input, output)\n\nStores a GeoTIFF tiled and compressed with ZSTD."
tog(input, output; how...) = run("tog"; input = input, output = output, how...)["path"]
"    header(path)\n\nWrites an index of the TIFFs of a dataset: a Dict of numbers."
header(path; how...) = run("header"; path = path, how...)

"    Tacore.set_options(; options...)\n\nOptions of the process: those of remote paths (`max_tries`, `timeout`, ...), and `verbose`."
set_options(; how...) = (call((_, error) -> tacore_set_options(options(how), error)); nothing)
"    Tacore.version()\n\nVersions of the library and of its interface."
version() = (library = unsafe_string(tacore_version()), interface = VersionNumber(tacore_abi_version() >> 16, tacore_abi_version() & 0xffff))

function __init__()
    library = dlopen(find_library())
    for name in FUNCTIONS
        SYMBOLS[name] = dlsym(library, name)
    end
    found = tacore_abi_version()
    found >> 16 == 1 || error("libtacore_c $(found >> 16) does not fit this package, which needs 1")
    POLL[] = @cfunction(poll, Int32, (UInt64, UInt64, Ptr{Cvoid}))
end

end

# Plain Arrow streams (a dozen types, one batch, offset 0) as vectors, and vectors as a stream.

struct ArrowSchema
    format::Ptr{UInt8}
    name::Ptr{UInt8}
    metadata::Ptr{UInt8}
    flags::Int64
    n_children::Int64
    children::Ptr{Ptr{ArrowSchema}}
    dictionary::Ptr{ArrowSchema}
    release::Ptr{Cvoid}
    private_data::Ptr{Cvoid}
end
struct ArrowArray
    length::Int64
    null_count::Int64
    offset::Int64
    n_buffers::Int64
    n_children::Int64
    buffers::Ptr{Ptr{Cvoid}}
    children::Ptr{Ptr{ArrowArray}}
    dictionary::Ptr{ArrowArray}
    release::Ptr{Cvoid}
    private_data::Ptr{Cvoid}
end
struct ArrowStream
    get_schema::Ptr{Cvoid}
    get_next::Ptr{Cvoid}
    get_last_error::Ptr{Cvoid}
    release::Ptr{Cvoid}
    private_data::Ptr{Cvoid}
end
ArrowSchema() = ArrowSchema(C_NULL, C_NULL, C_NULL, 0, 0, C_NULL, C_NULL, C_NULL, C_NULL)
ArrowArray() = ArrowArray(0, 0, 0, 0, 0, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL)
ArrowStream() = ArrowStream(C_NULL, C_NULL, C_NULL, C_NULL, C_NULL)

function read_columns(stream::Ref{ArrowStream})
    schema, array = Ref(ArrowSchema()), Ref(ArrowArray())
    ccall(stream[].get_schema, Cint, (Ptr{ArrowStream}, Ptr{ArrowSchema}), stream, schema)
    ccall(stream[].get_next, Cint, (Ptr{ArrowStream}, Ptr{ArrowArray}), stream, array)
    out = map(1:schema[].n_children) do i
        child, values = child_of(schema[], array[], i)
        column, exact = vector_of(child, values, 0, Int(values.length))
        Symbol(unsafe_string(child.name)), column, exact
    end
    ccall(array[].release, Cvoid, (Ptr{ArrowArray},), array)
    ccall(schema[].release, Cvoid, (Ptr{ArrowSchema},), schema)
    ccall(stream[].release, Cvoid, (Ptr{ArrowStream},), stream)
    out
end
child_of(schema, array, i) = unsafe_load(unsafe_load(schema.children, i)), unsafe_load(unsafe_load(array.children, i))

buffer_of(array, i, T) = Ptr{T}(unsafe_load(array.buffers, i))
isbit(bits, at) = (unsafe_load(bits, (at >> 3) + 1) >> (at & 7)) & 0x01 == 0x01

"""
Texts in the bytes of a column. Each becomes a `String` when it is looked at: to make a million of them takes longer than to read them.
They cannot be changed; a copy (`copy`, `collect`, `DataFrame(rows)`) is a vector of strings that can.
"""
struct Texts{T<:Union{Missing,String}} <: AbstractVector{T}
    bytes::Vector{UInt8}
    ends::Vector{Int32}  # one more than there are texts: the first is where they begin
    valid::Union{Nothing,Vector{Bool}}
end
Base.size(texts::Texts) = (Base.length(texts.ends) - 1,)
Base.IndexStyle(::Type{<:Texts}) = IndexLinear()
Base.@propagate_inbounds function Base.getindex(texts::Texts{T}, i::Int)::T where {T}
    @boundscheck checkbounds(texts, i)
    if T !== String && !texts.valid[i]
        return missing
    end
    from = texts.ends[i]
    GC.@preserve texts unsafe_string(pointer(texts.bytes) + from, texts.ends[i+1] - from)
end

"Values `from` to `from + num - 1`, counted from 0, and of times also the microseconds."
function vector_of(schema, array, from, num)
    bits = buffer_of(array, 1, UInt8)
    valid = bits == C_NULL ? nothing : [isbit(bits, i) for i in from:from+num-1]
    (valid !== nothing && all(valid)) && (valid = nothing)
    masked(values) = valid === nothing ? values : Union{Missing,eltype(values)}[valid[i] ? values[i] : missing for i in 1:num]
    numbers(T) = (out = Vector{T}(undef, num); GC.@preserve out unsafe_copyto!(pointer(out), buffer_of(array, 2, T) + from * sizeof(T), num); out)
    format = unsafe_string(schema.format)
    format == "b" && return masked([isbit(buffer_of(array, 2, UInt8), i) for i in from:from+num-1]), nothing
    format == "i" && return masked(numbers(Int32)), nothing
    format == "l" && return masked(numbers(Int64)), nothing
    format == "g" && return masked(numbers(Float64)), nothing
    format == "tdD" && return masked([Date(1970) + Day(day) for day in numbers(Int32)]), nothing
    if format == "tsu:UTC"
        exact = numbers(Int64)
        times = [DateTime(1970) + Millisecond(fld(time, 1000)) for time in exact]
        return masked(times), masked(exact)
    end
    if format == "+s"
        names = Symbol[]
        fields = map(1:schema.n_children) do i
            child, values = child_of(schema, array, i)
            push!(names, Symbol(unsafe_string(child.name)))
            vector_of(child, values, from, num)[1]
        end
        return masked([NamedTuple{Tuple(names)}(Tuple(field[i] for field in fields)) for i in 1:num]), nothing
    end
    offsets = buffer_of(array, 2, Int32)
    range(i) = (unsafe_load(offsets, i + 1), unsafe_load(offsets, i + 2) - unsafe_load(offsets, i + 1))
    if format == "+l"
        child, values = child_of(schema, array, 1)
        return masked([vector_of(child, values, range(i)...)[1] for i in from:from+num-1]), nothing
    end
    data = buffer_of(array, 3, UInt8)
    if format == "u"
        ends = Vector{Int32}(undef, num + 1)
        num == 0 ? (ends[1] = 0) : GC.@preserve ends unsafe_copyto!(pointer(ends), offsets + 4 * from, num + 1)
        first = ends[1]
        text = Vector{UInt8}(undef, ends[end] - first)
        GC.@preserve text unsafe_copyto!(pointer(text), data + first, Base.length(text))
        first == 0 || (ends .-= first)
        return Texts{valid === nothing ? String : Union{Missing,String}}(text, ends, valid), nothing
    end
    bytes(i) = ((at, size) = range(i); out = Vector{UInt8}(undef, size); GC.@preserve out unsafe_copyto!(pointer(out), data + at, size); out)
    masked([bytes(i) for i in from:from+num-1]), nothing
end

# ---- Vectors to a stream. What the structs point to stays in HELD until they are released ----

const HELD = Dict{Ptr{Cvoid},Vector{Any}}()

function release_schema(self::Ptr{ArrowSchema})::Cvoid
    old = unsafe_load(self)
    for i in 1:old.n_children
        child = unsafe_load(old.children, i)
        unsafe_load(child).release == C_NULL || release_schema(child)
    end
    delete!(HELD, old.private_data)
    unsafe_store!(self, ArrowSchema())
    nothing
end
function release_array(self::Ptr{ArrowArray})::Cvoid
    old = unsafe_load(self)
    for i in 1:old.n_children
        child = unsafe_load(old.children, i)
        unsafe_load(child).release == C_NULL || release_array(child)
    end
    delete!(HELD, old.private_data)
    unsafe_store!(self, ArrowArray())
    nothing
end

"Keeps objects until the struct with this private_data is released."
function hold(objects)
    key = Ptr{Cvoid}(pointer_from_objref(objects))
    HELD[key] = objects
    key
end

# A struct of its own address, in memory that HELD keeps.
boxed(value) = Ref(value)
address(box::Ref{T}) where {T} = Base.unsafe_convert(Ptr{T}, box)

"Boxes of the schema and the array of a column."
function boxes(name, format, length, nulls, buffers, children = [])
    text, kind = Vector{UInt8}(string(name) * "\0"), Vector{UInt8}(format * "\0")
    valid = any(nulls) ? packed(.!nulls) : UInt8[]
    all = Any[valid, buffers...]
    pointers = Ptr{Cvoid}[isempty(each) ? C_NULL : Ptr{Cvoid}(pointer(each)) for each in all]
    isempty(valid) && (pointers[1] = C_NULL)
    for i in 2:lastindex(pointers)  # an empty buffer has an address, too
        pointers[i] == C_NULL && (push!(all, UInt64[0]); pointers[i] = Ptr{Cvoid}(pointer(all[end])))
    end
    schemas = Ptr{ArrowSchema}[address(first(each)) for each in children]
    arrays = Ptr{ArrowArray}[address(last(each)) for each in children]
    schema_key = hold(Any[text, kind, schemas, children])
    array_key = hold(Any[all, pointers, arrays, children])
    schema = boxed(ArrowSchema(pointer(kind), pointer(text), C_NULL, 2, length_of(children), isempty(schemas) ? C_NULL : pointer(schemas), C_NULL,
                               @cfunction(release_schema, Cvoid, (Ptr{ArrowSchema},)), schema_key))
    array = boxed(ArrowArray(length, count(nulls), 0, Base.length(pointers), length_of(children), pointer(pointers),
                             isempty(arrays) ? C_NULL : pointer(arrays), C_NULL, @cfunction(release_array, Cvoid, (Ptr{ArrowArray},)), array_key))
    schema, array
end
length_of(list) = Int64(Base.length(list))
packed(flags) = (out = zeros(UInt8, cld(Base.length(flags), 8)); for (i, flag) in enumerate(flags); flag && (out[(i - 1) >> 3 + 1] |= 0x01 << ((i - 1) & 7)); end; out)

"A column of the type that its values have; missing and nothing are null."
function export_column(name, values)
    nulls = Bool[value === missing || value === nothing for value in values]
    known = [values[i] for i in eachindex(nulls) if !nulls[i]]
    filled(zero, convert_) = [nulls[i] ? zero : convert_(values[i]) for i in eachindex(nulls)]
    n = Base.length(nulls)
    all_are(T) = all(value -> value isa T, known)
    if isempty(known) || all_are(AbstractString)
        return boxes(name, "u", n, nulls, joined([nulls[i] ? UInt8[] : Vector{UInt8}(String(values[i])) for i in 1:n]))
    elseif all_are(AbstractVector{UInt8})
        return boxes(name, "z", n, nulls, joined([nulls[i] ? UInt8[] : values[i] for i in 1:n]))
    elseif all_are(Bool)
        return boxes(name, "b", n, nulls, [packed(filled(false, identity))])
    elseif all_are(Union{Int8,UInt8,Int16,UInt16,Int32})
        return boxes(name, "i", n, nulls, [filled(Int32(0), Int32)])
    elseif all_are(Integer)
        return boxes(name, "l", n, nulls, [filled(Int64(0), Int64)])
    elseif all_are(Real)
        return boxes(name, "g", n, nulls, [filled(0.0, Float64)])
    elseif all_are(Date)
        return boxes(name, "tdD", n, nulls, [filled(Int32(0), day -> Int32(Dates.value(day - Date(1970))))])
    elseif all_are(Microsecond)  # since 1970
        return boxes(name, "tsu:UTC", n, nulls, [filled(Int64(0), Dates.value)])
    elseif all_are(DateTime)
        return boxes(name, "tsu:UTC", n, nulls, [filled(Int64(0), time -> 1000 * Dates.value(time - DateTime(1970)))])
    elseif all_are(AbstractVector)
        parts = [nulls[i] ? [] : values[i] for i in 1:n]
        offsets = Int32[0; cumsum(Base.length.(parts))]
        return boxes(name, "+l", n, nulls, [offsets], [export_column("item", collect(Iterators.flatten(parts)))])
    end
    throw(TacoError(:schema, "column '$name' has values of $(join(unique(typeof.(known)), ", ")), which no dataset holds together"))
end

function joined(parts)
    ends = cumsum(Base.length.(parts))
    size = isempty(ends) ? 0 : ends[end]
    size <= typemax(Int32) || throw(TacoError(:schema, "a column has more than 2 GB; make the dataset of files instead"))
    bytes = Vector{UInt8}(undef, size)
    for (part, to) in zip(parts, ends)
        copyto!(bytes, to - Base.length(part) + 1, part, 1, Base.length(part))
    end
    Any[Int32[0; ends], bytes]
end

struct Table
    schema::Ref{ArrowSchema}
    array::Ref{ArrowArray}
end
table_of(self) = (HELD[unsafe_load(self).private_data][1])::Table
function get_schema(self::Ptr{ArrowStream}, out::Ptr{ArrowSchema})::Cint
    box = table_of(self).schema
    unsafe_store!(out, box[])
    box[] = ArrowSchema()
    0
end
function get_next(self::Ptr{ArrowStream}, out::Ptr{ArrowArray})::Cint
    box = table_of(self).array
    unsafe_store!(out, box[])
    box[] = ArrowArray()
    0
end
get_last_error(self::Ptr{ArrowStream})::Ptr{UInt8} = Ptr{UInt8}(C_NULL)
function release_stream(self::Ptr{ArrowStream})::Cvoid
    table = table_of(self)
    table.schema[].release == C_NULL || release_schema(address(table.schema))
    table.array[].release == C_NULL || release_array(address(table.array))
    delete!(HELD, unsafe_load(self).private_data)
    unsafe_store!(self, ArrowStream())
    nothing
end

"A stream of columns, which the library reads and releases."
function write_columns(samples)
    names = collect(keys(samples))
    columns = [samples[name] for name in names]
    n = isempty(columns) ? 0 : Base.length(columns[1])
    for (name, column) in zip(names, columns)
        Base.length(column) == n || throw(TacoError(:argument, "column '$name' has $(Base.length(column)) values, $n expected"))
    end
    schema, array = boxes("", "+s", n, falses(n), Any[], [export_column(name, column) for (name, column) in zip(names, columns)])
    Ref(ArrowStream(@cfunction(get_schema, Cint, (Ptr{ArrowStream}, Ptr{ArrowSchema})), @cfunction(get_next, Cint, (Ptr{ArrowStream}, Ptr{ArrowArray})),
                    @cfunction(get_last_error, Ptr{UInt8}, (Ptr{ArrowStream},)), @cfunction(release_stream, Cvoid, (Ptr{ArrowStream},)),
                    hold(Any[Table(schema, array)])))
end

# Tests of what the vectors do not cover: types, tables, errors, a full disk, interruption.   julia runtests.jl [ROOT]
using Tacore, Test, Dates, Logging

const ROOT = abspath(get(ARGS, 1, joinpath(@__DIR__, "../../..")))
const NESTED = joinpath(ROOT, "examples/data/landsat_nested.tacozip")
const ABOUT = (id = "chips", description = "Chips", licenses = ["MIT"], providers = [(name = "P",)], tasks = ["classification"])

macro fails(code, expression)
    quote
        error = try
            $(esc(expression))
            nothing
        catch caught
            caught
        end
        @test error isa TacoError
        error isa TacoError && @test error.code == $(esc(code))
    end
end

with_logger(NullLogger()) do
    folder = mktempdir()

    @testset "rows are a table" begin
        ds = Tacore.open(NESTED)
        @test ds.id == "landsat_nested"
        @test_throws ErrorException ds.nothing
        t = rows(ds)
        @test size(t) == (6, 14)
        @test t.vegetation isa Vector{Float64}
        @test eltype(t[Symbol("stac:time_end")]) == Union{Missing,DateTime}
        @test t.id == rows(sql(ds, "SELECT * FROM data")).id
        green = take(t, t.vegetation .> 0.2)
        @test green.id == t.id[t.vegetation.>0.2]
        for (i, id) in enumerate(green.id)
            @test readbytes(green, i, "mask") == readbytes(t, findfirst(==(id), t.id), "mask")
        end
        @test readbytes(t, [3, 1], "dem") == [readbytes(t, 3, "dem"), readbytes(t, 1, "dem")]
        @test children(t, 1).id == ["optical", "dem", "mask"]
        @test copy(t.id) isa Vector{String} && copy(t.id) == t.id && sort(t.id, rev = true)[end] == minimum(t.id)
        @test_throws Exception t.id[1] = "another"
        @test_throws BoundsError t.id[7]
        texts = rows(sql(ds, "SELECT *, CASE WHEN id LIKE '%c1' THEN NULL WHEN id LIKE '%c2' THEN '' ELSE 'ö' || id END AS name FROM data")).name
        @test isequal(texts, [endswith(id, "c1") ? missing : endswith(id, "c2") ? "" : "ö" * id for id in t.id])
        @test eltype(copy(texts)) == Union{Missing,String} && count(ismissing, texts) > 0
        @test startswith(gdalpath(t, 1, "optical"), "/vsisubfile/")
        @test length(flatten(ds)) == 18
        @test length(rows(concat(ds, sql(ds, "SELECT * FROM data LIMIT 2")))) == 8
        @test length(rows(filter_datetime(ds, (Date(1999), Date(2001))))) == 6
        @test length(rows(filter_datetime(ds, (DateTime(2001), DateTime(2002))))) == 0
        @test occursin("stac_version", describe(ds, "stac"))
        @test rows(sql(ds, "SELECT *, 9007199254740993 AS large FROM data")).large[1] === 9007199254740993
        Base.include(Main, joinpath(@__DIR__, "tables_stand_in.jl"))
        Base.include(Main, joinpath(@__DIR__, "tables.jl"))
    end

    @testset "pixels" begin
        t = rows(Tacore.open(NESTED))
        whole = pixels(t, 2, "optical")
        @test size(whole) == (64, 64, 6) && eltype(whole) == UInt8
        @test pixels(t, 2, "optical"; bands = [4, 1], window = (10, 20, 5, 3)) == whole[11:15, 21:23, [4, 1]]
        @test pixels(t, 2, "optical"; bands = [3], scale = 0.5) == Float32.(whole[:, :, 3:3]) ./ 2
        @test pixels(raster(gdalpath(t, 2, "optical"))) == whole
        @test about(raster(t, 2, "optical"))["dtype"] == "uint8"
        @test String(preview(t, 1, "optical"; bands = [3, 2, 1])[2:4]) == "PNG"
        found = statistics(t; child = "mask", compute = true)
        @test found[1]["mean"] ≈ sum(sum(Float64, pixels(t, i, "mask")) for i in 1:6) / (6 * 64 * 64)
        @fails :query pixels(t, 1, "optical"; bands = [7])
        @fails :query pixels(t, 1, "optical"; window = (60, 60, 10, 10))
        @fails :query pixels(t, 1, "optical"; window = (0, 0, 10^9, 10^9))
        @fails :query pixels(t, 1, "optical"; type = ComplexF64)
        @fails :unsupported raster(joinpath(ROOT, "docs/pictures/samples.png"))
    end

    @testset "an epoch has each sample once, and continues" begin
        t = rows(Tacore.open(NESTED))
        epoch(; how...) = collect(Loader(t, ["optical/4,3", "mask"]; batchsize = 4, how...))
        whole = epoch(seed = 3)
        all_rows = reduce(vcat, [batch.positions for batch in whole])
        @test sort(all_rows) == 1:6
        @test size(whole[1].tensors[1]) == (64, 64, 2, 4)
        @test whole[1].tensors[2][:, :, :, 1] == pixels(t, all_rows[1], "mask")
        @test reduce(vcat, [batch.positions for batch in epoch(seed = 3, start = whole[1].next_start)]) == all_rows[5:6]
        @test length(Loader(t, "mask"; batchsize = 4)) == 2
        @fails :argument Loader(t, "mask"; batch_sise = 2)
        @fails :navigation Loader(t, "nothing")
    end

    @testset "columns of every type come back" begin
        given = (id = ["a", "b", "c"], data = [UInt8[1, 2], UInt8[], UInt8[255]], label = ["water", missing, "é"], cloud = [0.5, missing, -1.25],
                 count = Int32[1, -2, 3], large = [2^60, missing, -1], is_train = [true, missing, false],
                 day = [Date(2020, 2, 29), missing, Date(1969, 12, 31)], moment = [DateTime(2020, 1, 1, 12, 0, 0, 123), missing, DateTime(1960)],
                 numbers = [[1.5, 2.0], Float64[], [3.0]])
        output = joinpath(folder, "a.tacozip")
        @test create(given, output, ABOUT; places = false) == [output]
        t = rows(Tacore.open(output))
        for name in setdiff(keys(given), (:data,))
            @test isequal(collect(t[name]), collect(given[name]))
        end
        @test readbytes(t, 1:3) == given.data
        @test validate(output; deep = true)["is_valid"]
        edit(output; set = Dict("title" => "New"))
        @test Tacore.open(output).title == "New"
        @test compare(output, convert_dataset(output, joinpath(folder, "copy"))[1])["equal"]
        @test length(rows(Tacore.open(export_dataset(dataset(take(t, [3, 1])), joinpath(folder, "two.tacozip"))[1]))) == 2
        GC.gc()
        @test isempty(Tacore.HELD)  # all that the library was given is released
    end

    @testset "wrong input is refused, and nothing is written" begin
        work = mkdir(joinpath(folder, "work"))
        none = joinpath(work, "no.tacozip")
        @fails :not_found Tacore.open(joinpath(folder, "none.tacozip"))
        @fails :argument Tacore.open(NESTED; verfiy = true)
        damaged = joinpath(folder, "damaged.tacozip")
        write(damaged, read(NESTED)[1:5000])
        @fails :format Tacore.open(damaged)
        ds = Tacore.open(NESTED)
        t = rows(ds)
        @fails :query rows(sql(ds, "SELECT nothing FROM data"))
        @fails :query t.nothing
        for i in (0, 7)
            @fails :navigation readbytes(t, i, "mask")
        end
        @fails :navigation readbytes(t, 1)
        @fails :schema create((id = ["a", "a"], data = [UInt8[], UInt8[]]), none, ABOUT)
        @fails :validation create((id = ["a"], data = [UInt8[]]), none, Base.structdiff(ABOUT, (tasks = 1,)))
        @fails :argument create((id = ["a", "b"], data = [UInt8[]]), none, ABOUT)
        @fails :schema create((id = ["a", "b"], data = [UInt8[], UInt8[]], x = [1, "1"]), none, ABOUT)
        @fails :not_found create(joinpath(folder, "none"), none, ABOUT)
        @test isempty(readdir(work))
        message = sprint(showerror, try Tacore.open("http://user:secret@127.0.0.1:1/a.tacozip"; max_tries = 1) catch e e end)
        @test occursin("127.0.0.1", message) && !occursin("secret", message)

        moved = joinpath(folder, "moved.tacozip")
        cp(NESTED, moved)
        t = rows(Tacore.open(moved))
        write(moved, read(NESTED)[1:1000])
        @test_throws TacoError readbytes(t, 6, "mask")
        rm(moved)
        @test_throws TacoError readbytes(t, 5, "optical")
    end

    # In a process of its own: files of at most 2 MB; and an interrupt while a dataset is written.
    julia = joinpath(Sys.BINDIR, Base.julia_exename())
    script(code) = (file = joinpath(folder, "script.jl"); write(file, "using Tacore, Logging; global_logger(NullLogger()); const ABOUT = $ABOUT\n" * code); file)

    @testset "a full disk is an error that leaves nothing behind" begin
        work = mkdir(joinpath(folder, "full"))
        file = script("try create((id = [\"a\"], data = [zeros(UInt8, 3_000_000)]), \"$(joinpath(work, "a.tacozip"))\", ABOUT; places = false)
                       catch e println(e.code) end")
        @test read(`sh -c "trap '' XFSZ; ulimit -f 4096; exec $julia --compiled-modules=no $file"`, String) == "io\n"
        @test isempty(readdir(work))
    end

    @testset "an interrupt stops a call, and leaves nothing unfinished" begin
        source, work = mkdir(joinpath(folder, "source")), mkdir(joinpath(folder, "interrupted"))
        for i in 1:3000
            write(joinpath(source, "$i.bin"), zeros(UInt8, 20_000))
        end
        file = script("Base.exit_on_sigint(false)
            output = \"$(joinpath(work, "a.tacozip"))\"
            create(\"$source\", output, ABOUT; places = false)
            run(`sh -c \"(sleep 0.3; kill -INT \$(getpid())) &\"`)
            try
                for i in 1:1000 create(\"$source\", output, ABOUT; places = false, overwrite = true, jobs = 1) end
                println(\"never stopped\")
            catch e
                println(e isa InterruptException || (e isa TacoError && e.code == :cancelled) ? \"stopped\" : e)
            end")
        @test read(`env --default-signal=INT $julia $file`, String) == "stopped\n"
        @test readdir(work) == ["a.tacozip"] && validate(joinpath(work, "a.tacozip"))["is_valid"]
    end
end

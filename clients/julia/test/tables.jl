# The extension for Tables.jl, with the stand-in that runtests.jl defined.
module TablesTest
using Test, Tacore
import ..Tables
source = read(joinpath(@__DIR__, "../ext/TacoreTablesExt.jl"), String)
include_string(@__MODULE__, replace(source, "import Tables" => "import ...Tables"))
t = rows(Tacore.open(joinpath(@__DIR__, "../../../examples/data/landsat_nested.tacozip")))
@test Tables.istable(typeof(t)) && Tables.columnaccess(typeof(t))
@test Tables.columnnames(Tables.columns(t)) == Tacore.columnnames(t)
@test Tables.getcolumn(t, :id) === t.id === Tables.getcolumn(t, 1)
@test Tables.schema(t).types[1] == String
end

# The interface of Tables.jl for rows: DataFrame(t), CSV.write(file, t), and all else that takes a table. Loaded with Tables by Julia 1.9 and
# newer; before, include this file after `using Tacore, Tables`.
module TacoreTablesExt

import Tables
using Tacore: Rows, columnnames

Tables.istable(::Type{Rows}) = true
Tables.columnaccess(::Type{Rows}) = true
Tables.columns(t::Rows) = t
Tables.columnnames(t::Rows) = columnnames(t)
Tables.getcolumn(t::Rows, name::Symbol) = t[name]
Tables.getcolumn(t::Rows, i::Int) = t[columnnames(t)[i]]
Tables.schema(t::Rows) = Tables.Schema(columnnames(t), [eltype(t[name]) for name in columnnames(t)])

end

# A wrong command line: exit code 2 and nothing on standard output, before any file is looked at.
check() {
  local code=0
  taco "$@" 2>&1 >"$scratch/stdout" | sed 's/^taco: //' | head -1 | tr '\n' '\t'
  code=${PIPESTATUS[0]}
  [[ ! -s $scratch/stdout ]] || echo "on standard output: $(<"$scratch/stdout")"
  echo "[exit $code]"
}
check
check inof
check something
check --nope
check query
check query none.tacozip --nope
check query none.tacozip --formt=csv
check query none.tacozip -x
check query none.tacozip 'SELECT 1' extra
check query none.tacozip --bbox
check query none.tacozip --bbox 1,2,3
check query none.tacozip --bbox 1,2,3,4,5
check query none.tacozip --bbox 1,2,,4
check query none.tacozip --bbox '1, 2,3,4'
check query none.tacozip --bbox nan,0,1,1
check query none.tacozip --bbox 0,0,inf,1
check query none.tacozip --bbox 0,0,1e999,1
check query none.tacozip --bbox 0,5,1,4
check query none.tacozip --bbox --level 1
check query none.tacozip --datetime yesterday
check query none.tacozip --datetime 2005-13
check query none.tacozip --datetime 2023-02-30
check query none.tacozip --datetime 2023-02-01/2023-01-01
check query none.tacozip --level 1
check query none.tacozip --level one --bbox 0,0,1,1
check query none.tacozip --level -1 --bbox 0,0,1,1
check query none.tacozip -f xml
check query none.tacozip -o rows.xml
check query none.tacozip -o rows
check query none.tacozip --overwrite
check info none.tacozip --bbox 0,0,1,1
check read none.tacozip
check read none.tacozip -dash
check stats none.tacozip --bands -1
check stats none.tacozip --bands 1.5
check stats none.tacozip --band 1
check stats none.tacozip --id a
check info none.tacozip --quiet --debug
# Former names are refused with the present ones.
check --limit 3 info none.tacozip
check info none.tacozip --tries=1
check info none.tacozip --cache here
check create none none.tacozip --no-tacocat
check index none.tacozip --no-validate-schema
check tog none.tif none.tog.tif --block 64
check create none none.tacozip --parquet row_group_rows=1
check header none.tacozip
check help qurey
check head none.tacozip --limit three

# What only a terminal shows: tables that fit, and a line of success. A pipe gets all rows and columns.
terminal() { script -qefc "stty cols ${1}; taco ${*:2}" /dev/null | tr -d '\r' | sed -E 's/[0-9.]+ s$/N s/'; }
terminal 80 query $examples/landsat.tacozip
terminal 80 query $examples/landsat.tacozip "'SELECT id, range FROM data, range(2)'"
terminal 60 head $examples/landsat.tacozip -n 2 --columns id,stac:centroid,internal:gdal_vsi | sed 's/[^ ]*landsat.tacozip//'
terminal 80 query $examples/landsat.tacozip "'SELECT 1 AS one FROM data WHERE false'"
taco query $examples/landsat.tacozip 'SELECT id, range FROM data, range(2)' | wc -l
cp -r $examples/scene "$scratch"
cd "$scratch"
about="--id x --description d --license CC0-1.0 --provider me --task other"
terminal 80 create scene x.tacozip $about
terminal 80 create scene y.tacozip $about --quiet
terminal 80 create scene parts.tacozip $about --split-size 100kB
terminal 80 index x.tacozip --overwrite
taco create scene z.tacozip $about
# Colours, unless NO_COLOR or the terminal say no; never in a pipe.
colours() { env -u NO_COLOR "$@" script -qefc "taco head x.tacozip -n 1 --columns type; taco query x.tacozip --limt 1; \
  taco diff x.tacozip fewer.tacozip -q; taco validate x.tacozip -q" /dev/null | tr -d '\r' | cat -v; }
rm -r "$(find scene -name "*.tif" | sort | head -n 1)"
taco create scene fewer.tacozip $about
colours TERM=xterm
colours TERM=dumb
env -u NO_COLOR taco ls nothing

# The shipped examples keep all rules.
for name in landsat landsat_nested; do
  show validate $examples/$name.tacozip --deep
done

# Warnings, and what --verbose, --debug and --quiet make of them, before and after the subcommand; data stay apart.
taco ls header_bad_crc.tacozip 2>&1 >/dev/null
taco --quiet ls header_bad_crc.tacozip 2>&1 >/dev/null
taco ls header_bad_crc.tacozip --quiet 2>&1 >/dev/null
taco query flat.tacozip "SELECT id FROM data" >"$scratch/plain" 2>&1
for flag in --verbose --debug; do
  for place in before after; do
    query=(query flat.tacozip "SELECT id FROM data")
    [[ $place == before ]] && query=("$flag" "${query[@]}") || query+=("$flag")
    taco "${query[@]}" >"$scratch/data" 2>"$scratch/messages" || echo "exit $?"
    cmp "$scratch/plain" "$scratch/data"
    lines=$(wc -l <"$scratch/messages")
    [[ $lines -gt 0 && $(grep -c '^taco: ' "$scratch/messages") == "$lines" ]] || cat "$scratch/messages"
    echo "$flag $place: $(grep -q SQL "$scratch/messages" && echo with SQL)"
  done
done

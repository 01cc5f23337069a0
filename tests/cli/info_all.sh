# Every golden dataset can be shown, and what is shown for programs is JSON.
for path in *.tacozip *.zip nested nested_padded cascade_tacocat cascade_tacocat/.tacocat cascade_tacocat/__TACOCAT__; do
  taco info "$path" --quiet >/dev/null || echo "$path: text: exit $?"
  taco info "$path" --quiet --json >"$scratch/${path//\//_}" || echo "$path: JSON: exit $?"
done
python3 -c '
import json, sys
for path in sys.argv[1:]:
    json.load(open(path))
print(len(sys.argv) > 30)' "$scratch"/*

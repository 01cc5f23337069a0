# Bytes do not go to a terminal; paths do, and bytes go elsewhere.
cat >$scratch/terminal.py <<'END'
import os, pty, sys
code = os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:]))
print("exit", code)
END
python3 $scratch/terminal.py taco read nested.tacozip europe/item_1 | tr -d '\r'
python3 $scratch/terminal.py taco read nested.tacozip europe/item_1 --vsi | tr -d '\r' | sed 's,/.*/tests,tests,'
python3 $scratch/terminal.py taco read nested.tacozip europe/item_1 -o $scratch/item | tr -d '\r'
cat $scratch/item

# The questions of a new collection.json on a terminal, its options elsewhere, and that create reads the file.
cd "$scratch"
cat >ask.py <<'END'
"""Runs `taco ARGUMENTS` on a terminal of its own, and types the answers, one line each, when a question stands there."""
import os, pty, sys
answers = [line for line in sys.stdin.read().splitlines()]
child, terminal = pty.fork()
if child == 0:
    os.execvp("taco", ["taco", *sys.argv[1:]])
said = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    said += piece
    if said.endswith(b": "):
        os.write(terminal, (answers.pop(0) + "\n" if answers else "\x04").encode())
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(said.decode().replace("\r\n", "\n"), f"[exit {code}]", sep="")
END
printf '%s\n' 'My chips' chips '' 'Chips of "a" scene' 'cc by 4' cc-by-4.0 'Our lab, Quito' seg segmentation | python3 ask.py init
cat collection.json
mkdir chips && echo a >chips/a.bin
show create chips chips.tacozip --collection collection.json --quiet
show validate chips.tacozip
show init
show init --overwrite --id x
printf '%s\n' 'Own licence' 'Own licence' other | python3 ask.py init own.json --id x --description D --provider P
printf '%s\n' chips | python3 ask.py init cut.json
printf '' | python3 ask.py init cut.json --id Big
show init new.json
show init new.json --id Big --description D --license MIT --provider P --task seg
show init new.json --id x --description D --license mit --license 'Own licence' --provider P --provider Q --task other --task detection --title T --keyword k --dataset-version 2.0.0
cat new.json
show init new.json --id x --description D --license MIT --provider P --task other
show init new.json --id y --description D --license MIT --provider P --task other --overwrite --quiet
grep '"id"' new.json
show init nowhere/new.json --id x --description D --license MIT --provider P --task other
show init --collection x.json
ls -A

# Folders for Hugging Face, Zenodo and Source Cooperative, and what these require.
ln -s "$PWD" "$scratch/golden"
cd "$scratch"
publish() { show publish "$@" | sed -E 's/^write\t[0-9]+/write\tSIZE/; s/[0-9.]+ kB/SIZE/'; }  # sizes of descriptions
export HF_TOKEN= HF_TOKEN_PATH="$scratch/none"
cp golden/nested.tacozip titled.tacozip
taco edit titled.tacozip --set title="A nested <set>" --set-json keywords='["a", "b"]' --quiet
publish golden/nested.tacozip -o z --for zenodo --to s3://bucket/a
publish golden/nested -o z --for zenodo --published 2026-11-25
publish golden/nested.tacozip -o z --for huggingface --to hf://datasets/-lab/a--b
publish golden/nested.tacozip -o z --for source-cooperative --to s3://bucket/lab
publish golden/nested.tacozip -o z --for dataverse
publish golden/header_bad_crc.tacozip -o z --for huggingface
publish https://example.org/a.tacozip -o s3://bucket/z --for zenodo
ls -A
publish titled.tacozip -o z --for zenodo --published 2026-11-25
(cd z && ls -A && sha256sum --strict -c CHECKSUMS)
cat z/.zenodo.json z/LICENSE
publish titled.tacozip -o z --for zenodo --published 2026-11-25
publish titled.tacozip -o z --for zenodo --published 2026-11-26 --overwrite
publish titled.tacozip -o golden --for zenodo --published 2026-11-25 --overwrite
publish golden/nested -o s --for source-cooperative
(cd s && find . -type f | sort && sha256sum --strict --quiet -c CHECKSUMS)
publish golden/nested.tacozip -o d --for huggingface --dry-run
publish golden/nested -o golden/nested/DATA/x --for huggingface
publish golden/nested.tacozip -o z2 --for huggingface --to hf://datasets/lab/a
ls -A

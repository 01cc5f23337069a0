# Folders for Hugging Face, Zenodo and Source Cooperative, and what these require.
ln -s "$PWD" "$scratch/golden"
cd "$scratch"
export HF_TOKEN= HF_TOKEN_PATH="$scratch/none"
cp golden/nested.tacozip titled.tacozip
taco edit titled.tacozip --set title="A nested <set>" --set-json keywords='["a", "b"]' --quiet
show publish golden/nested.tacozip -o z --for zenodo --to s3://bucket/a
show publish golden/nested -o z --for zenodo --published 2026-11-25
show publish golden/nested.tacozip -o z --for huggingface --to hf://datasets/-lab/a--b
show publish golden/nested.tacozip -o z --for source-cooperative --to s3://bucket/lab
show publish golden/nested.tacozip -o z --for dataverse
show publish golden/header_bad_crc.tacozip -o z --for huggingface
show publish https://example.org/a.tacozip -o s3://bucket/z --for zenodo
ls -A
show publish titled.tacozip -o z --for zenodo --published 2026-11-25
(cd z && ls -A && sha256sum --strict -c CHECKSUMS)
cat z/.zenodo.json z/LICENSE
show publish titled.tacozip -o z --for zenodo --published 2026-11-25
show publish titled.tacozip -o z --for zenodo --published 2026-11-26 --overwrite
show publish titled.tacozip -o golden --for zenodo --published 2026-11-25 --overwrite
show publish golden/nested -o s --for source-cooperative
(cd s && find . -type f | sort && sha256sum --strict --quiet -c CHECKSUMS)
show publish golden/nested.tacozip -o d --for huggingface --dry-run
show publish golden/nested -o golden/nested/DATA/x --for huggingface
show publish golden/nested.tacozip -o z2 --for huggingface --to hf://datasets/lab/a
ls -A

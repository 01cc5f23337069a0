# The pages of docs/commands are those that the tool makes; scripts/make_command_pages renews them.
../../scripts/make_command_pages "$(command -v taco)" "$scratch/commands"
diff -ru ../../docs/commands "$scratch/commands"
taco manual count --markdown

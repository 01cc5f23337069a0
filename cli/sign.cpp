#include <tacore/ops/sign.hpp>
#include <tacore/verbose.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "json.hpp"
#include "output.hpp"
#include "password.hpp"

namespace tacore::cli {

int run_keygen(const KeygenCommandOptions& options) {
  KeyOptions how = options.how;
  check_output(options.path, how.overwrite);
  if (!options.no_password) how.password = read_password(options.password, options.path, true);
  print(create_key(options.path, how) + "\n");
  return 0;
}

int run_sign(const SignCommandOptions& options) {
  SignOptions how = options.how;
  if (is_encrypted_key(how.key)) how.password = read_password(options.password, how.key, false);
  SignResult done;
  run_copy(
      how.task, [&] { done = sign_dataset(options.path, how); }, "samples");
  if (done.files.empty()) return 0;  // stopped
  for (const auto& file : done.files) print(file + "\n");
  if (log_level() != LogLevel::Off) {
    complain(options.path + ": signed " + std::to_string(done.num_samples) + " samples, Merkle root " + done.root);
  }
  return 0;
}

int run_verify(const VerifyCommandOptions& options) {
  VerifyOptions how = options.how;
  VerifyResult done;
  bool is_done = false;
  run_copy(
      how.task,
      [&] {
        done = verify_dataset(options.path, how);
        is_done = true;
      },
      "samples");
  if (!is_done) return 0;  // stopped
  const std::string number = std::to_string(done.num_samples), bytes = std::to_string(done.num_proof_bytes);
  if (options.json) {
    const auto or_null = [](const std::string& text) { return text.empty() ? "null" : json_string(text); };
    print(json_object({{"merkle_root", or_null(done.root)},
                       {"key_id", or_null(done.key_id)},
                       {"num_samples", number},
                       {"num_proof_bytes", bytes}}) +
          "\n");
    return 0;
  }
  const std::string by = done.key_id.empty() ? "" : ", signed by key " + done.key_id;
  const std::string root = done.root.empty() ? ", by taco:sha256" : ", Merkle root " + done.root;
  print(options.path + ": " + number + " samples verified" + root + by + "\n");
  if (how.key.empty()) complain("no forgery was ruled out: --key says who must have signed");
  return 0;
}

}  // namespace tacore::cli

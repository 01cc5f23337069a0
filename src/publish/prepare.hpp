#pragma once

#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/ops/publish.hpp"
#include "upload/object_store.hpp"
#include "writer/staging.hpp"

namespace tacore::publishing {

/// A file of the dataset, and its name in the folder.
struct DataFile {
  std::string name = {};  ///< relative to the folder, with slashes
  std::string path = {};
  uint64_t size = 0;
};

/// The files of a local dataset. Throws ValidationError for a remote one, and for files that are in several folders.
std::vector<DataFile> data_files(const Dataset& dataset, const std::string& path);

/// Throws ValidationError that lists all faults: rules that the dataset breaks, and what the platform requires.
void require_publishable(const Dataset& dataset, const std::string& path, const std::vector<DataFile>& files,
                         Platform platform, const PublishOptions& options);

/// Writes the folder `name` in `staging`. Returns its files, in the order of the upload.
std::vector<upload::Upload> prepare(const std::vector<DataFile>& files, const Dataset& dataset,
                                    const StagingDir& staging, const std::string& name, Platform platform,
                                    const PublishOptions& options);

/// The place of a file in the order of the upload: the data come first, then the files that make the dataset visible,
/// then what describes it, and last the pages that people open.
int upload_rank(const std::string& name);

/// The files of a folder that was prepared before. Throws ValidationError unless it was prepared of these files, and
/// has the checksums in CHECKSUMS.
std::vector<upload::Upload> prepared_before(const std::vector<DataFile>& files, const std::string& folder,
                                            const Task& task);

}  // namespace tacore::publishing

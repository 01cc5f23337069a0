#pragma once

#include <string>
#include <vector>

#include "describe/facts.hpp"

/// The page that viewer/ makes, with a dataset written into it.
namespace tacore::descriptions {

struct ViewerPage {
  /// URLs, or references relative to the page, of datasets that are shown as one; none: the user of the page chooses.
  std::vector<std::string> datasets = {};
  std::string address = {};               ///< what examples of code open; "": the URL of the dataset
  std::vector<std::string> servers = {};  ///< that may be read, besides that of the page; of no dataset: any by https
};

/// The text of the page.
std::string viewer_page(const ViewerPage& page);

/// The page for the dataset that `facts` describe, in the folder `directory`. Throws ValidationError for a dataset that
/// no page can read from there, and for a server that is none.
ViewerPage viewer_page_of(const Facts& facts, const std::string& directory, const std::vector<std::string>& servers);

}  // namespace tacore::descriptions

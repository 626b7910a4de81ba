#pragma once

#include <memory>
#include <string>

#include "cli/options/input_options.hpp"
#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options of a subcommand that lists all items of one kind, or shows one of them in detail.
struct ListingOptions {
  std::string name;  ///< name of the item; empty for all
  bool json = false;

  bool one() const { return !name.empty(); }
};

/// Adds NAME and --json, for items of `kind`, such as "model".
inline std::shared_ptr<ListingOptions> add_listing_options(OptionParser& parser, const std::string& kind) {
  auto options = std::make_shared<ListingOptions>();
  parser.add_option("NAME", options->name, "Show only this " + kind + ", in detail");
  add_json_option(parser, options->json);
  return options;
}

}  // namespace plimsoll::cli

#pragma once

#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/parameters.hpp>

#include "cli/terminal.hpp"

namespace plimsoll::cli {

/// What a listing shows of one of the things that can be chosen by name.
struct CatalogueEntry {
  std::string name;
  std::string help;
  std::span<const balance::ParameterSpec> parameters;
  std::string example;  ///< a command that chooses it
};

/// One JSON object with the list `key`, as docs/json.md has it.
std::string catalogue_json(const std::string& key, const std::vector<CatalogueEntry>& entries);
/// A table; `title` is the heading of the names.
std::string catalogue_table(const std::string& title, const std::vector<CatalogueEntry>& entries);
/// One in detail, with its parameters.
std::string catalogue_details(const CatalogueEntry& entry, const Terminal& terminal);

}  // namespace plimsoll::cli

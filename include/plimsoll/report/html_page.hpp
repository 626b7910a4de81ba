#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Returns JSON text in which integers beyond ±2^53, such as seeds, are strings, because JavaScript rounds
/// such numbers. `json` must be valid. Cost: O(n).
std::string with_exact_integers(std::string_view json);

/// Maximum amounts of data in a page, which browsers open in less than two seconds. What exceeds them is
/// summed or omitted, and the page says so.
struct PageLimits {
  std::size_t tasks = 600'000;       ///< tasks of all phases
  std::size_t edges = 100'000;       ///< edges between objects, of all phases
  std::size_t rank_pairs = 300'000;  ///< pairs of ranks that communicate, of all phases
  std::size_t cells = 1'000'000;     ///< values of one quantity, ranks times phases
  std::size_t user_numbers = 16;     ///< numbers in `user_defined` that become quantities
};

/// Writes what a page shows of a data set as members of an open object: time lost to imbalance, findings,
/// quantities of ranks, migrations, subphases, objects, edges, traffic between ranks, and notes on what was
/// omitted. viewer/src/data/report.ts declares these members. `overview` has the phases to include.
///
/// Cost: expected O(phases (tasks + edges)). The memory is that of one phase in addition to the limits.
/// Throws like balance::load_phase().
void write_data_set(support::JsonWriter& json, const lbdata::Dataset& dataset,
                    const balance::DatasetOverview& overview, const PageLimits& limits = {},
                    support::Progress& progress = support::Progress::none());

/// Returns at most three sentences on the imbalance of a data set: the rank that delays all others and why,
/// what better placements could save, and the phase with the highest imbalance, the trend or the traffic.
std::vector<std::string> find_imbalance(const lbdata::Dataset& dataset,
                                        const balance::DatasetOverview& overview);

/// Writes a page that any browser opens without a network: the viewer (`viewer/`), with a document inside.
/// `json` is the document, as viewer/src/data/report.ts declares it. `sink` gets the page in pieces. The same
/// document always gives the same page. Cost: O(document); the memory is that of the compressed document.
void write_html_page(std::string_view json, const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::report

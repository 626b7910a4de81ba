#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Options for the data set of a specification.
struct SpecificationOptions {
  std::int64_t ranks_per_node = 0;  ///< number of ranks per node; 0: all ranks on one node
  std::uint64_t seed = 1;           ///< seed of the random numbers
};

/// Creates the data set that a specification describes, in the format of LBAF's data files maker, which is
/// YAML or JSON:
///
///     tasks:                    # list, or mapping from numbers
///       - 2.0                   # load in seconds
///       - {time: {name: lognormal, parameters: [1.0, 0.25]}, migratable: false}
///     ranks:                    # tasks of each rank
///       - [0, 1]
///     communications:
///       - {from: 0, to: 1, size: 10000.0}
///     shared_blocks:
///       - {size: 1.0e+6, home_rank: 0, tasks: [0]}
///
/// The data set has one phase. Tasks have their number as `seq_id`. The rank of the sender records an edge.
/// The same text and options give the same data on every platform.
///
/// `name` is used in messages. Throws Error (bad_input), with the line, for any other text, and for numbers
/// of tasks or ranks that do not exist. Throws Error like support::parse_yaml(), which limits the size.
Dataset parse_data_specification(std::string_view text, const std::string& name,
                                 const SpecificationOptions& options = {});
/// Reads a file. Throws Error like parse_data_specification() and support::read_text_file().
Dataset read_data_specification(const std::string& path, const SpecificationOptions& options = {});

}  // namespace plimsoll::lbdata

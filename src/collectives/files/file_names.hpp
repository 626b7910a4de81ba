#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/counts_writer.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Name such as "send-counters.job0.rank2.txt" or "recv-displs.job0.rank2.txt".
struct BlocksFileName {
  Content content;
  Direction direction;
  std::uint64_t job;
  std::uint32_t rank;
  std::string to_string() const;
  static std::optional<BlocksFileName> parse(std::string_view name);
};

/// Name such as "counts-rank0_call7.md" or "counts.rank0_call7.md". If the rows indicate another operation,
/// it is "counts-alltoallw-rank0_call7.md" or "counts.alltoallw.rank0_call7.md".
struct CallFileName {
  std::optional<Operation> operation;
  std::uint32_t rank;
  std::uint64_t call;
  std::string to_string(bool dotted) const;
  static std::optional<CallFileName> parse(std::string_view name);
};

/// Name such as "profile_alltoallv_job0.rank2.md".
struct ProfileFileName {
  Operation operation;
  std::uint64_t job;
  std::uint32_t rank;
  std::string to_string() const;
  static std::optional<ProfileFileName> parse(std::string_view name);
};

}  // namespace plimsoll::collectives

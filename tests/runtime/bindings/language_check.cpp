#include "runtime/bindings/language_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>

namespace {

using namespace plimsoll::lbdata;

class Checker {
 public:
  Checker(const Dataset& dataset, int ranks) : dataset_(dataset), ranks_(ranks) {}

  void check_ranks() {
    expect(dataset_.ranks.size() == static_cast<std::size_t>(ranks_), "each rank has a file");
    for (rank_ = 0; rank_ < ranks_; ++rank_) check_rank(dataset_.ranks.at(rank_));
  }
  void expect(bool holds, const std::string& what) {
    if (holds) return;
    fmt::print(stderr, "files of rank {}: not true: {}\n", rank_, what);
    ++failures_;
  }
  int failures() const { return failures_; }

 private:
  std::uint64_t element(int home, std::uint64_t number, bool migratable) const {
    return encode({.kind = migratable ? IdentifierKind::migratable_element : IdentifierKind::fixed_element,
                   .home = static_cast<std::uint32_t>(home % ranks_),
                   .sequence = number + 1});
  }
  std::uint64_t counted() const { return element(rank_, 0, true); }
  std::uint64_t modelled() const { return element(rank_ + 1, 100 + static_cast<unsigned>(rank_), false); }
  std::uint64_t guest() const { return element(rank_ + 1, 7, true); }

  void check_rank(const RankData& rank) {
    expect(rank.phases.size() == 3, "the rank has three phases");
    expect(rank.metadata.attributes == R"({"kind":"test"})", "the rank has its value");
    const PhaseRecord& everything = rank.phases.at(0);
    expect(everything.user_defined == R"({"step":11,"time":0.125})", "phase 0 has its values");
    check_tasks(everything.tasks);
    check_edges(everything.communications.value());
    const PhaseRecord& wrong = rank.phases.at(1);
    expect(wrong.tasks.size() == 5 && !wrong.communications && !wrong.user_defined,
           "phase 1 contains no data of phase 0");
    check_after_removal(rank.phases.at(2).tasks);
  }

  std::optional<std::size_t> task(const Tasks& tasks, std::uint64_t id) const {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (dataset_.entities.number(tasks.entity[i]).bits == id) return i;
    }
    return std::nullopt;
  }

  void expect_time(const Tasks& tasks, std::uint64_t id, double time_s, const std::string& name) {
    const auto found = task(tasks, id);
    expect(found && std::abs(tasks.time_s[*found] - time_s) < 1e-9,
           fmt::format("the {} took {} s", name, time_s));
  }

  void check_tasks(const Tasks& tasks) {
    expect(tasks.size() == 5, "phase 0 has five tasks");
    expect_time(tasks, counted(), 0.75, "counted object");
    expect_time(tasks, modelled(), 0.5, "modelled object");
    expect_time(tasks, guest(), 2, "guest");
    if (failures_ > 0) return;

    const std::size_t own = *task(tasks, counted());
    const EntityTable& entities = dataset_.entities;
    const IndexTuple index = entities.index(tasks.entity[own]);
    expect(index.size() == 3 && index[0] == rank_ && index[1] == -2 && index[2] == 5'000'000'000,
           "the counted object has its index");
    expect(entities.family(tasks.entity[own]).collection_id.bits == collection_proxy(0),
           "it belongs to the default collection");
    expect(entities.migratable(tasks.entity[own]), "it is migratable");
    const std::uint32_t first = tasks.subphase_begin(own);
    expect(tasks.subphase_end[own] - first == 2 && tasks.subphase_time_s[first] == 0 &&
               tasks.subphase_time_s[first + 1] == 0.25,
           "it has 0.25 s in subphase 1");
    expect(tasks.user_defined.at(static_cast<std::uint32_t>(own)) ==
               R"({"cells":1099511627776,"name":"a \"wave\""})",
           "the counted object has its values");
    expect(tasks.attributes.at(static_cast<std::uint32_t>(own)) == R"({"weight":1.5})",
           "the counted object has its attribute");

    const EntityIndex modelled_entity = tasks.entity[*task(tasks, modelled())];
    expect(entities.family(modelled_entity).collection_id.bits == collection_proxy(1),
           "the modelled object belongs to another collection");
    expect(!entities.migratable(modelled_entity), "the modelled object is not migratable");
    expect(entities.home(modelled_entity) == (rank_ + 1) % ranks_,
           "the home of the modelled object is the next rank");
    check_group(tasks);
  }

  void check_group(const Tasks& tasks) {
    const std::uint64_t id = encode({.kind = IdentifierKind::object_group,
                                     .home = static_cast<std::uint32_t>(rank_),
                                     .sequence = 1,
                                     .collective = true});
    const auto member = task(tasks, id);
    expect(member && tasks.time_s[*member] >= 0.0199 && tasks.time_s[*member] < 2,
           "the group member worked 20 ms");
  }

  struct Expected {
    CommCategory category;
    std::uint64_t from;
    std::uint64_t to;
    double bytes;
    std::int64_t messages;
  };

  void check_edges(const Communications& edges) {
    using enum CommCategory;
    const auto rank = static_cast<std::uint64_t>(rank_);
    const auto next = static_cast<std::uint64_t>((rank_ + 1) % ranks_);
    const auto last = static_cast<std::uint64_t>(ranks_ - 1);
    const Expected all[] = {{SendRecv, counted(), guest(), 200, 2},
                            {CollectionToNode, counted(), next, 30, 1},
                            {NodeToCollection, next, counted(), 40, 1},
                            {Broadcast, counted(), guest(), 50, 1},
                            {CollectionToNodeBcast, counted(), last, 60, 1},
                            {NodeToCollectionBcast, 0, counted(), 70, 1},
                            {WriteShared, 5, rank, 80, 1},
                            {ReadOnlyShared, 6, 0, 1e10, 1},
                            {LocalInvoke, counted(), counted(), 90, 3},
                            {CollectiveToCollectionBcast, next, counted(), 95, 4}};
    expect(edges.size() == std::size(all), "phase 0 has ten edges");
    for (const Expected& one : all) {
      expect(has(edges, one),
             fmt::format("phase 0 has an edge {} with {} bytes", to_string(one.category), one.bytes));
    }
  }

  bool has(const Communications& edges, const Expected& one) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (dataset_.categories[edges.category[i]] == to_string(one.category) &&
          dataset_.entities.number(edges.from[i]).bits == one.from &&
          dataset_.entities.number(edges.to[i]).bits == one.to && edges.bytes[i] == one.bytes &&
          edges.messages[i] == one.messages) {
        return true;
      }
    }
    return false;
  }

  void check_after_removal(const Tasks& tasks) {
    expect(tasks.size() == 4 && !task(tasks, guest()), "the guest is removed in phase 2");
    expect_time(tasks, modelled(), 0, "object without a model");
    const auto own = task(tasks, counted());
    expect(own && tasks.user_defined.at(static_cast<std::uint32_t>(*own)) == R"({"cells":1099511627776})",
           "the removed value is missing");
    expect(own && tasks.attributes.at(static_cast<std::uint32_t>(*own)).empty(),
           "the removed attribute is missing");
  }

  const Dataset& dataset_;
  int ranks_;
  int rank_ = 0;
  int failures_ = 0;
};

}  // namespace

namespace {

int& original_stderr() {
  static int descriptor = -1;
  return descriptor;
}

std::FILE*& captured() {
  static std::FILE* file = nullptr;
  return file;
}

}  // namespace

int plimsoll_phases_written(const char* folder, const char* subfolder, int ranks) {
  try {
    const auto files = find_rank_files({fmt::format("{}/{}", folder, subfolder)});
    if (files.size() != static_cast<std::size_t>(ranks) || !validate(files).findings.empty()) return -1;
    return static_cast<int>(read(files).dataset.ranks.front().phases.size());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return -1;
  }
}

void plimsoll_begin_capture() {
  std::fflush(stderr);
  captured() = std::tmpfile();
  original_stderr() = ::dup(STDERR_FILENO);
  ::dup2(::fileno(captured()), STDERR_FILENO);
}

int plimsoll_end_capture(const char* text) {
  std::fflush(stderr);
  ::dup2(original_stderr(), STDERR_FILENO);
  ::close(original_stderr());
  std::string content;
  std::rewind(captured());
  for (int letter = std::fgetc(captured()); letter != EOF; letter = std::fgetc(captured()))
    content += static_cast<char>(letter);
  std::fclose(captured());
  int count = 0;
  for (std::size_t at = content.find(text); at != std::string::npos; at = content.find(text, at + 1)) ++count;
  return count;
}

int plimsoll_check_written(const char* folder, int ranks) {
  try {
    const auto files = find_rank_files({fmt::format("{}/data", folder)});
    int findings = 0;
    for (const plimsoll::Diagnostic& finding : validate(files).findings) {
      fmt::print(stderr, "{}\n", to_string(finding));
      ++findings;
    }
    const ReadResult result = read(files);
    Checker checker(result.dataset, ranks);
    checker.check_ranks();
    return findings + checker.failures();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

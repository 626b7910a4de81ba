#include "runtime/manager/recorded_decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr int writer = 0;
/// Maximum size of a file of decisions, sufficient for about 10^8 migrations.
constexpr std::uint64_t max_bytes = std::uint64_t{4} << 30;

/// Reads the numbers of one line; false if it has another form.
bool read_line(std::string_view line, DecidedMove& move) {
  const auto take_comma = [&] {
    const bool has_comma = line.starts_with(',');
    if (has_comma) line.remove_prefix(1);
    return has_comma;
  };
  return support::take_number(line, move.phase) && take_comma() && support::take_number(line, move.object) &&
         take_comma() && support::take_number(line, move.from) && take_comma() &&
         support::take_number(line, move.to) && line.empty();
}

}  // namespace

std::string to_lines(std::span<const DecidedMove> moves) {
  std::string text;
  for (const DecidedMove& move : moves)
    fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", move.phase, move.object, move.from, move.to);
  return text;
}

std::vector<DecidedMove> parse_decisions(std::string_view text, const std::string& file, int ranks) {
  std::size_t number = 1;
  const auto fail = [&](const std::string& what, const std::string& hint) {
    throw support::bad_input(fmt::format("line {}: {}", number, what), file, hint);
  };
  if (!text.starts_with(decision_columns))
    fail("not a file of decisions: the first line must be phase,object,from,to",
         "use a file that lb_decisions has written");
  text.remove_prefix(decision_columns.size());
  std::vector<DecidedMove> moves;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    DecidedMove move;
    if (end == std::string_view::npos || !read_line(text.substr(0, end), move))
      fail("invalid decision: expected phase,object,from,to as four integers",
           "remove the line if the run ended while it was written");
    if (move.phase < 0 || (!moves.empty() && move.phase < moves.back().phase))
      fail(fmt::format("invalid phase {}: phases must ascend from 0", move.phase),
           "use the lines in the order in which they were written");
    for (const std::int32_t rank : {move.from, move.to})
      if (rank < 0 || rank >= ranks)
        fail(fmt::format("invalid rank {}: this run has {}", rank, ranks),
             "use as many ranks as the run that wrote the decisions");
    moves.push_back(move);
    text.remove_prefix(end + 1);
  }
  return moves;
}

DecisionFile::DecisionFile(const Session& session) : session_(session) {
  mpi::agreed(session.communicator(), [&] {
    if (session.rank() != writer) return;
    const std::string& path = session.settings().lb_decisions;
    support::make_folder(support::folder_of(path));
    file_ = support::create_file(path, session.settings().lb_data_overwrite);
    if (!file_.is_open()) throw support::already_exists(path);
    write(decision_columns);
  });
}

void DecisionFile::write(std::string_view text) {
  support::write_at(file_, text, size_, session_.settings().lb_decisions);
  size_ += text.size();
}

void DecisionFile::add(std::int64_t phase, std::span<const Move> exports) {
  const mpi::Communicator& ranks = session_.communicator();
  std::vector<std::byte> message;
  mpi::agreed(ranks, [&] {
    std::vector<DecidedMove> mine;
    mine.reserve(exports.size());
    for (const Move& move : exports)
      mine.push_back({phase, static_cast<std::uint64_t>(move.object), move.from, move.to});
    mpi::Packer packer;
    packer.array(mine);
    message = packer.take();
  });
  mpi::agreed(ranks, [&] {
    std::string lines;
    mpi::gather(ranks, message, writer, [&](int, std::span<const std::byte> bytes) {
      lines += to_lines(mpi::Unpacker(bytes).array<DecidedMove>());
    });
    if (lines.empty()) return;
    if (phase == last_phase_)
      throw support::usage_error(fmt::format("two plans after phase {} migrate objects: lb_decisions records "
                                             "one per phase",
                                             phase),
                                 "call plan() once per phase, or do not set lb_decisions");
    last_phase_ = phase;
    write(lines);
  });
}

DecisionReplay::DecisionReplay(const Session& session) : session_(session) {
  const mpi::Communicator& ranks = session.communicator();
  const std::string& path = session.settings().lb_decisions_in;
  std::string text;
  mpi::agreed(ranks, [&] {
    if (ranks.rank() == writer) text = support::read_text_file(path, max_bytes);
  });
  text = ranks.broadcast(text, writer);
  mpi::agreed(ranks, [&] {
    moves_ = parse_decisions(text, path, ranks.size());
    std::erase_if(moves_, [&](const DecidedMove& move) { return move.from != ranks.rank(); });
    moves_.shrink_to_fit();
  });
}

std::vector<LeavingObject> DecisionReplay::leaving(std::int64_t phase, const RankStats& mine) const {
  const std::span<const DecidedMove> of_phase(
      std::ranges::lower_bound(moves_, phase, {}, &DecidedMove::phase),
      std::ranges::upper_bound(moves_, phase, {}, &DecidedMove::phase));
  if (of_phase.empty()) return {};
  std::unordered_map<ObjectId, std::uint32_t> here;
  for (std::uint32_t object = 0; object < mine.ids.size(); ++object)
    if (mine.may_migrate(object)) here.emplace(mine.ids[object], object);
  std::vector<LeavingObject> leaving;
  for (const DecidedMove& move : of_phase) {
    const auto found = here.find(ObjectId{move.object});
    if (found == here.end())
      throw support::bad_input(
          fmt::format("after phase {}, {} is to leave rank {}, which has no such migratable object", phase,
                      name_of(ObjectId{move.object}), move.from),
          session_.settings().lb_decisions_in, "use decisions of a run with the same input");
    leaving.push_back({found->second, move.to});
  }
  std::ranges::sort(leaving, {}, &LeavingObject::object);
  const auto twice = std::ranges::adjacent_find(leaving, {}, &LeavingObject::object);
  if (twice != leaving.end())
    throw support::bad_input(fmt::format("after phase {}, {} is to leave rank {} twice", phase,
                                         name_of(mine.ids[twice->object]), session_.rank()),
                             session_.settings().lb_decisions_in,
                             "remove all but one of its lines of this phase");
  return leaving;
}

}  // namespace plimsoll::runtime

#include "interpose/path/critical_path.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr int answer_tag = 5;
/// Time below which nobody is late, because no sender waits for a receiver that is as late.
constexpr std::int64_t late_ns = 10'000;
constexpr std::size_t max_stalls = 4096;
constexpr std::uint64_t stalls_per_look = 64;

}  // namespace

void CriticalPath::begin_call(std::int64_t now_ns) {
  clock_.begin_call(now_ns, current_region());
  begin_ns_ = awaited_ns_ = now_ns;
  is_measured_ = false;
  sent_.clear();
}

void CriticalPath::join(std::int64_t chain_ns, std::int64_t begin_ns) {
  clock_.join(chain_ns);
  await(begin_ns);
}

void CriticalPath::await(std::int64_t begin_ns) {
  awaited_ns_ = std::max(awaited_ns_, begin_ns);
  is_measured_ = true;
}

/// Returns the channel of a communicator; null if its messages cannot be followed, so that the path is
/// unknown.
const std::shared_ptr<const Channel>& CriticalPath::channel_of(MPI_Comm communicator) {
  static const std::shared_ptr<const Channel> none;
  Communicator* const known = find_communicator(communicator);
  if (!known) {
    lose(Unknown::errors);
    return none;
  }
  const auto& channel = interpose::channel_of(communicator, *known);
  if (!channel) {
    const bool in_world = std::ranges::find(known->world_ranks, MPI_UNDEFINED) == known->world_ranks.end();
    lose(known->inter || !in_world ? Unknown::groups : Unknown::communicators);
  }
  return channel;
}

// Messages

void CriticalPath::send(const Envelope& message) {
  if (message.peer == MPI_PROC_NULL) return;
  if (const Channel* const channel = channel_of(message.comm).get()) send(*channel, message);
}

void CriticalPath::send(const Channel& channel, const Envelope& message) {
  if (message.peer < 0 || static_cast<std::size_t>(message.peer) >= channel.world_ranks.size()) {
    lose(Unknown::errors);
    return;
  }
  const Note note = {
      .chain_ns = clock_.time_ns(), .begin_ns = begin_ns_, .number = message.may_stall ? ++messages_ : 0};
  notes_.send(note, channel.world_ranks[static_cast<std::size_t>(message.peer)], {channel.id, message.tag});
  if (message.may_stall) sent_.push_back(note.number);
  is_measured_ = true;
}

void CriticalPath::receive(const Envelope& message) {
  if (message.peer == MPI_PROC_NULL) return;
  if (const Channel* const channel = channel_of(message.comm).get())
    answer_if_late(take_note(*channel, message.peer, message.tag), begin_ns_);
}

CriticalPath::Matched CriticalPath::take_note(const Channel& channel, int source, int tag) {
  const int world_rank = channel.world_ranks[static_cast<std::size_t>(source)];
  const Note note = notes_.receive(world_rank, {channel.id, tag});
  join(note.chain_ns, note.begin_ns);
  return {.number = note.number, .begin_ns = note.begin_ns, .world_rank = world_rank};
}

void CriticalPath::answer_if_late(const Matched& message, std::int64_t ready_ns) {
  if (message.number != 0 && ready_ns - message.begin_ns > late_ns)
    answer(message.world_rank, {.number = message.number, .ready_ns = ready_ns});
}

// The note stays for the call that receives the message. Earlier messages of the same kind may still have
// theirs, if receives in progress got them: then the waiting is unknown.
void CriticalPath::find(const Envelope& message) {
  if (message.peer == MPI_PROC_NULL) return;
  const Channel* const channel = channel_of(message.comm).get();
  if (!channel || is_awaited(*channel, message)) return;
  const int world_rank = channel->world_ranks[static_cast<std::size_t>(message.peer)];
  const Note& note = notes_.find(world_rank, {channel->id, message.tag});
  join(note.chain_ns, note.begin_ns);
}

/// Returns whether a receive in progress may have the kind of message.
bool CriticalPath::is_awaited(const Channel& channel, const Envelope& message) const {
  return std::ranges::any_of(open_, [&](const auto& request_and_open) {
    const Open& open = request_and_open.second;
    return open.channel && open.channel->id == channel.id &&
           (open.source == MPI_ANY_SOURCE || open.source == message.peer) &&
           (open.tag == MPI_ANY_TAG || open.tag == message.tag);
  });
}

// The sender has begun when MPI finds its message, but may wait until this rank receives it.
void CriticalPath::match(MPI_Message handle, const Envelope& message) {
  if (message.peer == MPI_PROC_NULL) return;
  if (const Channel* const channel = channel_of(message.comm).get())
    matched_[handle] = take_note(*channel, message.peer, message.tag);
}

void CriticalPath::receive_matched(MPI_Message handle) {
  const auto found = matched_.find(handle);
  if (found == matched_.end()) return;
  answer_if_late(found->second, begin_ns_);
  matched_.erase(found);
  is_measured_ = true;
}

// Collectives

void CriticalPath::begin_collective(const rules::Collective& collective, rules::Dependence dependence) {
  using enum rules::Dependence;
  if (dependence == on_neighbors) {
    lose(Unknown::neighbors);
    return;
  }
  const Communicator* const communicator = find_communicator(collective.comm);
  if (!communicator || !channel_of(collective.comm)) return;
  const bool is_root = communicator->rank == collective.root;
  end_sent_maxima();
  forget_maximum(maximum_);  // of a start that failed
  maximum_ = std::make_unique<SharedMaximum>();
  auto& [values, comm, request, has_result] = *maximum_;
  values = {clock_.time_ns(), begin_ns_};
  comm = collective.comm;
  const int count = static_cast<int>(values.size());
  switch (dependence) {
    case among_all:
      has_result = true;
      PMPI_Iallreduce(MPI_IN_PLACE, values.data(), count, MPI_INT64_T, MPI_MAX, comm, &request);
      break;
    case on_lower:
      has_result = true;
      PMPI_Iscan(MPI_IN_PLACE, values.data(), count, MPI_INT64_T, MPI_MAX, comm, &request);
      break;
    case on_root:
      has_result = !is_root;
      PMPI_Ibcast(values.data(), count, MPI_INT64_T, collective.root, comm, &request);
      break;
    case of_root:
      has_result = is_root;
      PMPI_Ireduce(is_root ? MPI_IN_PLACE : values.data(), values.data(), count, MPI_INT64_T, MPI_MAX,
                   collective.root, comm, &request);
      break;
    case none:
    case on_neighbors: break;
  }
}

void CriticalPath::end_collective() {
  if (maximum_) finish_maximum(std::move(maximum_));
}

// A rank that depends on no other must not wait for others here: it does not in the program's collective.
void CriticalPath::finish_maximum(std::unique_ptr<SharedMaximum> maximum) {
  is_measured_ = true;
  if (!maximum->has_result) {
    sent_maxima_.push_back(std::move(maximum));
    return;
  }
  const support::NoCancellation no_cancellation;
  PMPI_Wait(&maximum->request, MPI_STATUS_IGNORE);
  join(maximum->values[0], maximum->values[1]);
}

void CriticalPath::end_sent_maxima() {
  std::erase_if(sent_maxima_, [](const std::unique_ptr<SharedMaximum>& maximum) {
    int ended = 0;
    PMPI_Test(&maximum->request, &ended, MPI_STATUS_IGNORE);
    return ended != 0;
  });
}

// MPI writes to a maximum until its request ends.
void CriticalPath::forget_maximum(std::unique_ptr<SharedMaximum>& maximum) {
  if (maximum) sent_maxima_.push_back(std::move(maximum));
}

void CriticalPath::end_maxima_on(MPI_Comm communicator) {
  std::erase_if(sent_maxima_, [&](const std::unique_ptr<SharedMaximum>& maximum) {
    if (maximum->comm != communicator) return false;
    PMPI_Wait(&maximum->request, MPI_STATUS_IGNORE);
    return true;
  });
}

// Nonblocking communication

void CriticalPath::remember_send(MPI_Request request) {
  Open& open = open_[request];
  if (sent_.empty()) return;
  open.number = sent_.back();
  sent_.clear();
}

void CriticalPath::remember_receive(MPI_Request request, const Envelope& message) {
  if (message.peer == MPI_PROC_NULL) return;
  if (const auto& channel = channel_of(message.comm)) remember_receive(request, channel, message);
}

void CriticalPath::remember_receive(MPI_Request request, const std::shared_ptr<const Channel>& channel,
                                    const Envelope& message) {
  Open& open = open_[request];
  open.channel = channel;
  open.source = message.peer;
  open.tag = message.tag;
  open.ready_ns = begin_ns_;
}

void CriticalPath::remember_collective(MPI_Request request) {
  if (!maximum_) return;
  forget_maximum(open_[request].maximum);  // of a request whose end was not seen
  open_[request].maximum = std::move(maximum_);
}

void CriticalPath::complete(MPI_Request request, int source, int tag) {
  const auto found = open_.find(request);
  if (found == open_.end()) return;
  Open open = std::move(found->second);
  open_.erase(found);
  if (open.number != 0) sent_.push_back(open.number);
  if (open.channel) answer_if_late(take_note(*open.channel, source, tag), open.ready_ns);
  if (open.maximum) finish_maximum(std::move(open.maximum));
  is_measured_ = true;
}

void CriticalPath::remember_persistent(MPI_Request request, const Envelope& message, bool is_sent) {
  if (message.peer == MPI_PROC_NULL)
    persistent_[request] = {};
  else if (const auto& channel = channel_of(message.comm))
    persistent_[request] = {channel, message, is_sent};
}

void CriticalPath::start(MPI_Request request) {
  const auto found = persistent_.find(request);
  if (found == persistent_.end()) {
    lose(Unknown::functions);
    return;
  }
  const auto& [channel, message, is_sent] = found->second;
  if (!channel) return;
  if (is_sent) {
    send(*channel, message);
    remember_send(request);
  } else {
    remember_receive(request, channel, message);
  }
}

void CriticalPath::forget(MPI_Request request) {
  persistent_.erase(request);
  const auto found = open_.find(request);
  if (found == open_.end()) return;
  if (found->second.channel) lose(Unknown::freed_requests);  // its note is not received in order
  forget_maximum(found->second.maximum);
  open_.erase(found);
}

// No note belongs to a cancelled receive, but that of a cancelled send is on its way.
void CriticalPath::forget_cancelled(MPI_Request request) {
  const auto found = open_.find(request);
  if (found == open_.end()) return;
  if (!found->second.channel) lose(Unknown::cancellations);
  forget_maximum(found->second.maximum);
  open_.erase(found);
}

// The end of a call, and what receivers answer

void CriticalPath::end_call(std::int64_t now_ns, const CallPlace& place) {
  clock_.end_call(now_ns, awaited_ns_, current_region());
  if (!is_measured_) return;
  const MeasuredCall call = {
      .place = place, .region = current_region(), .begin_ns = begin_ns_, .end_ns = now_ns};
  if (sent_.empty() || now_ns - begin_ns_ < late_ns) {
    waits_.add(call, awaited_ns_);
    return;
  }
  if (stalls_.size() == max_stalls) end_first_stall();
  Stall& stall = stalls_.emplace_back(Stall{call, awaited_ns_, sent_});
  for (const std::int64_t number : stall.numbers) stall_of_message_[number] = &stall;
  // A look for messages may let other processes have the core, and counts as time outside MPI.
  if (++stalled_calls_ % stalls_per_look == 0) take_answers();
}

void CriticalPath::end_first_stall() {
  const Stall& first = stalls_.front();
  for (const std::int64_t number : first.numbers) stall_of_message_.erase(number);
  waits_.add(first.call, first.awaited_ns);
  stalls_.pop_front();
}

void CriticalPath::answer(int world_rank, const LateReceiver& answer) {
  sent_answers_.send(answer, world_rank, answer_tag, answers_);
  if (answers_to_.empty()) {
    int ranks = 0;
    PMPI_Comm_size(answers_, &ranks);
    answers_to_.resize(static_cast<std::size_t>(ranks));
  }
  ++answers_to_[static_cast<std::size_t>(world_rank)];
}

void CriticalPath::take(const LateReceiver& answer) {
  ++answers_taken_;
  const auto found = stall_of_message_.find(answer.number);
  if (found != stall_of_message_.end())
    found->second->awaited_ns = std::max(found->second->awaited_ns, answer.ready_ns);
}

void CriticalPath::take_answers() {
  for (;;) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, answer_tag, answers_, &found, MPI_STATUS_IGNORE);
    if (!found) return;
    LateReceiver answer;
    PMPI_Recv(&answer, sizeof answer, MPI_BYTE, MPI_ANY_SOURCE, answer_tag, answers_, MPI_STATUS_IGNORE);
    take(answer);
  }
}

void CriticalPath::finish() {
  int ranks = 0;
  PMPI_Comm_size(answers_, &ranks);
  answers_to_.resize(static_cast<std::size_t>(ranks));
  int answers = 0;
  PMPI_Reduce_scatter_block(answers_to_.data(), &answers, 1, MPI_INT, MPI_SUM, answers_);
  while (answers_taken_ < answers) {
    LateReceiver answer;
    PMPI_Recv(&answer, sizeof answer, MPI_BYTE, MPI_ANY_SOURCE, answer_tag, answers_, MPI_STATUS_IGNORE);
    take(answer);
  }
  while (!stalls_.empty()) end_first_stall();
  for (const auto& maximum : sent_maxima_) PMPI_Wait(&maximum->request, MPI_STATUS_IGNORE);
  sent_answers_.wait();
  notes_.end();
}

}  // namespace plimsoll::interpose

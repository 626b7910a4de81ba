#include "lbdata/reading/document_parser.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {
using P = DocumentParser;
}

DocumentParser::DocumentParser(support::TextSource& source, SchemaVersion version, FindingSink findings,
                               RecordSink& records, ReadingPath path)
    : cursor_(source),
      file_(source.name()),
      version_(version),
      findings_(std::move(findings)),
      records_(records),
      reading_path_(path) {}

void DocumentParser::parse_data_file() {
  static constexpr Member<Top> members[] = {
      {"metadata", optional_member,
       [](P& p, Top& top, const JsonPath& at) {
         p.metadata(top.metadata, at);
         p.records_.metadata_so_far(top.metadata);
       }},
      {"phases", required_member, [](P& p, Top& top, const JsonPath& at) { p.phases(top, at); }},
      {"type", optional_member,
       [](P& p, Top& top, const JsonPath& at) {
         top.type_byte = p.cursor_.offset();
         top.type = p.document_type(at);
         top.metadata.top_level_type = top.type;
         p.records_.metadata_so_far(top.metadata);
       }},
  };
  Top top;
  const JsonPath root;
  object<members>(top, root);
  cursor_.expect_end();
  if (top.specified_type() == "LBStatsfile") throw IsStatisticsFile{};
  require_type(top, "LBDatafile");
  if (!top.specified_type()) {
    add_readable(root, 0, Severity::warning, "type", "missing document type",
                 "set \"type\": \"LBDatafile\" in its metadata");
  }
  records_.metadata(std::move(top.metadata));
}

void DocumentParser::metadata(RankMetadata& metadata, const JsonPath& path) {
  using M = RankMetadata;
  static constexpr Member<M> members[] = {
      {"attributes", optional_member, set<&M::attributes, &P::dictionary>},
      {"phases", optional_member, [](P& p, M& m, const JsonPath& at) { p.phase_metadata(m, at); }},
      {"rank", optional_member, set<&M::rank, &P::integer>},
      {"rank_alpha", newer_member,
       [](P& p, M& m, const JsonPath& at) {
         const std::uint64_t byte = p.cursor_.offset();
         m.rank_alpha = p.fraction(at);
         if (m.rank_alpha && !(*m.rank_alpha >= 0)) p.add(at, byte, "schema", "negative rank_alpha");
       }},
      {"shared_node", optional_member, [](P& p, M& m, const JsonPath& at) { p.shared_node(m, at); }},
      {"type", optional_member, set<&M::type, &P::document_type>},
  };
  metadata.present = true;
  object<members>(metadata, path);
}

void DocumentParser::shared_node(RankMetadata& metadata, const JsonPath& path) {
  static constexpr Member<SharedNode> members[] = {
      {"id", required_member, set<&SharedNode::id, &P::integer>},
      {"num_nodes", required_member, set<&SharedNode::num_nodes, &P::integer>},
      {"rank", required_member, set<&SharedNode::rank, &P::integer>},
      {"size", required_member, set<&SharedNode::size, &P::integer>},
  };
  object<members>(metadata.shared_node.emplace(), path);
}

void DocumentParser::phase_metadata(RankMetadata& metadata, const JsonPath& path) {
  static constexpr Member<PhaseMetadata> members[] = {
      {"count", optional_member, set<&PhaseMetadata::count, &P::integer>},
      {"identical_to_previous", required_member,
       [](P& p, PhaseMetadata& m, const JsonPath& at) { p.phase_numbers(m.identical_to_previous, at); }},
      {"skipped", required_member,
       [](P& p, PhaseMetadata& m, const JsonPath& at) { p.phase_numbers(m.skipped, at); }},
  };
  object<members>(metadata.phases.emplace(), path);
}

void DocumentParser::phase_numbers(PhaseNumbers& numbers, const JsonPath& path) {
  static constexpr Member<PhaseNumbers> members[] = {
      {"list", required_member,
       [](P& p, PhaseNumbers& n, const JsonPath& at) {
         p.array(at, [&](std::size_t, const JsonPath& element) {
           if (const auto phase = p.integer(element)) n.list.push_back(*phase);
         });
         std::ranges::sort(n.list);
       }},
      {"range", required_member,
       [](P& p, PhaseNumbers& n, const JsonPath& at) {
         // Limits far above the values that programs write. Without them, a few bytes could cause excessive
         // use of time and memory.
         constexpr std::size_t most_ranges = 10'000;
         constexpr std::uint64_t most_phases = 1'000'000;
         std::uint64_t phases = 0;
         p.array(at, [&](std::size_t position, const JsonPath& element) {
           const std::uint64_t byte = p.cursor_.offset();
           auto& range = n.range.emplace_back();
           p.array(element, [&](std::size_t, const JsonPath& end) {
             if (const auto phase = p.integer(end)) range.push_back(*phase);
           });
           if (position == most_ranges)
             p.add(element, byte, "range", "more than ten thousand ranges of phases");
           if (range.size() != 2 || range[0] > range[1] || phases > most_phases) return;
           phases += std::min(static_cast<std::uint64_t>(range[1]) - static_cast<std::uint64_t>(range[0]),
                              most_phases) +
                     1;
           if (phases > most_phases)
             p.add(element, byte, "range", "ranges contain more than a million phases in total");
         });
       }},
  };
  object<members>(numbers, path);
}

void DocumentParser::phases(Top& top, const JsonPath& path) {
  if (top.specified_type() == "LBStatsfile") throw IsStatisticsFile{};
  array(path, [&](std::size_t position, const JsonPath& at) { phase({position, cursor_.offset()}, at); });
}

void DocumentParser::phase(RecordPlace place, const JsonPath& path) {
  const std::size_t unreadable = unreadable_;
  PhaseHeader header;
  records_.begin_phase(place);
  phase_members(header, path, optional_member);
  records_.end_phase(std::move(header), unreadable_ == unreadable);
}

void DocumentParser::lb_iterations(PhaseHeader& phase, const JsonPath& path) {
  phase.has_lb_iterations = true;
  array(path, [&](std::size_t position, const JsonPath& at) {
    PhaseHeader header;
    records_.begin_iteration({position, cursor_.offset()});
    phase_members(header, at, phase_member);
    records_.end_iteration(std::move(header));
  });
}

void DocumentParser::phase_members(PhaseHeader& header, const JsonPath& path, unsigned unknown) {
  using Header = PhaseHeader;
  static constexpr Member<Header> members[] = {
      {"communications", optional_member,
       [](P& p, Header& h, const JsonPath& at) {
         h.has_communications = true;
         p.communications(at);
       }},
      {"id", required_member,
       [](P& p, Header& h, const JsonPath& at) {
         h.id_byte = p.cursor_.offset();
         const std::optional<std::int64_t> id = p.integer(at);
         h.id = id.value_or(0);
         h.has_id = id.has_value();
         // Skip an ID at the end of a truncated text, because digits may be missing.
         if (id && p.cursor_.peek() != '\0') p.records_.id(*id);
       }},
      {"lb_iterations", newer_member | phase_member,
       [](P& p, Header& h, const JsonPath& at) { p.lb_iterations(h, at); }},
      {"tasks", required_member, [](P& p, Header&, const JsonPath& at) { p.tasks(at); }},
      {"user_defined", optional_member, set<&Header::user_defined, &P::dictionary>},
  };
  object<members>(header, path, required_member, unknown);
  repeats_entities_ = reading_path_ == ReadingPath::fast;
}

template <class Record>
void DocumentParser::learn(RecordShapes<Record>& shapes, const Record& record, std::uint64_t begin,
                           RecordKind kind) {
  if (reading_path_ == ReadingPath::fast) shapes.learn(record, cursor_.text_since(begin), kind);
}

template <class Recognise, class Parse, class Deliver>
void DocumentParser::records(const JsonPath& path, Recognise&& recognise, Parse&& parse, Deliver&& deliver) {
  array(path, [&](std::size_t position, const JsonPath& at) {
    const RecordPlace place{position, cursor_.offset()};
    if (const auto* const known = recognise()) return deliver(*known, place);
    const std::size_t unreadable = unreadable_;
    const auto& record = parse(place, at);
    if (unreadable_ == unreadable) deliver(record, place);
  });
}

void DocumentParser::tasks(const JsonPath& path) {
  records(
      path, [this] { return recognise_task(); },
      [this](RecordPlace place, const JsonPath& at) -> const TaskRecord& {
        const std::size_t reported = reported_;
        task(at);
        if (reported_ == reported) learn(task_shapes_, task_, place.byte, RecordKind::task);
        return task_;
      },
      [this](const TaskRecord& task, RecordPlace place) { records_.task(task, place); });
}

void DocumentParser::task(const JsonPath& path) {
  static constexpr Member<TaskRecord> members[] = {
      {"attributes", optional_member,
       [](P& p, TaskRecord& task, const JsonPath& at) {
         task.has_attributes = p.take_dictionary(at, task.attributes);
       }},
      {"entity", required_member,
       [](P& p, TaskRecord& task, const JsonPath& at) {
         task.entity = p.entity(p.task_entity_texts_, p.task_entity_, at, required_of_task);
         p.records_.coming(*task.entity);
       }},
      {"node", required_member, set_with_byte<&TaskRecord::node, &TaskRecord::node_byte, &P::small_integer>},
      {"resource", required_member,
       [](P& p, TaskRecord& task, const JsonPath& at) {
         p.repeated_text(task.resource, p.plain_resource_, at);
       }},
      {"subphases", optional_member, [](P& p, TaskRecord&, const JsonPath& at) { p.subphases(at); }},
      {"time", required_member, set_with_byte<&TaskRecord::time_s, &TaskRecord::time_byte, &P::fraction>},
      {"user_defined", optional_member,
       [](P& p, TaskRecord& task, const JsonPath& at) {
         task.has_user_defined = p.take_dictionary(at, task.user_defined);
       }},
  };
  task_.clear();
  object<members>(task_, path);
}

void DocumentParser::subphases(const JsonPath& path) {
  struct Subphase {
    std::int32_t id = 0;
    double time_s = 0;
  };
  static constexpr Member<Subphase> members[] = {
      {"id", required_member, set<&Subphase::id, &P::small_integer>},
      {"time", required_member, set<&Subphase::time_s, &P::fraction>},
  };
  task_.has_subphases = true;
  array(path, [&](std::size_t, const JsonPath& at) {
    Subphase subphase;
    object<members>(subphase, at);
    task_.subphase_id.push_back(subphase.id);
    task_.subphase_time_s.push_back(subphase.time_s);
  });
}

void DocumentParser::communications(const JsonPath& path) {
  records(
      path, [this] { return recognise_edge(); },
      [this](RecordPlace place, const JsonPath& at) -> const CommunicationRecord& {
        const std::size_t reported = reported_;
        communication(at);
        if (reported_ == reported) learn(edge_shapes_, edge_, place.byte, RecordKind::edge);
        return edge_;
      },
      [this](const CommunicationRecord& edge, RecordPlace place) { records_.communication(edge, place); });
}

void DocumentParser::communication(const JsonPath& path) {
  using Edge = CommunicationRecord;
  static constexpr Member<Edge> members[] = {
      {"bytes", required_member, set_with_byte<&Edge::bytes, &Edge::bytes_byte, &P::fraction>},
      {"from", required_member,
       [](P& p, Edge& edge, const JsonPath& at) {
         edge.from = p.entity(p.from_texts_, p.from_entity_, at, required_member);
       }},
      {"messages", required_member, set_with_byte<&Edge::messages, &Edge::messages_byte, &P::integer>},
      {"to", required_member,
       [](P& p, Edge& edge, const JsonPath& at) {
         edge.to = p.entity(p.to_texts_, p.to_entity_, at, required_member);
       }},
      {"type", required_member,
       [](P& p, Edge& edge, const JsonPath& at) {
         edge.type_byte = p.cursor_.offset();
         p.repeated_text(edge.type, p.plain_type_, at);
       }},
  };
  object<members>(edge_, path);
}

const EntityRecord* DocumentParser::entity(EntityTexts& texts, EntityRecord& entity, const JsonPath& path,
                                           unsigned required) {
  const char* at = cursor_.position();
  if (const EntityRecord* const known = recognise_entity(texts, at)) {
    cursor_.continue_at(at);
    return known;
  }
  const std::size_t reported = reported_;
  this->entity(entity, path, required);
  if (reported_ == reported) learn(texts.shapes, entity, entity.byte, RecordKind::entity);
  return &entity;
}

void DocumentParser::entity(EntityRecord& entity, const JsonPath& path, unsigned required) {
  using E = EntityRecord;
  static constexpr Member<E> members[] = {
      {"collection_id", optional_member,
       [](P& p, E& e, const JsonPath& at) { e.value.collection_id = p.wide_integer(at); }},
      {"home", required_of_task, [](P& p, E& e, const JsonPath& at) { e.value.home = p.small_integer(at); }},
      {"id", required_until_2023, [](P& p, E& e, const JsonPath& at) { e.value.id = p.wide_integer(at); }},
      {"index", optional_member, [](P& p, E& e, const JsonPath& at) { p.entity_index(e, at); }},
      {"migratable", required_of_task,
       [](P& p, E& e, const JsonPath& at) { e.value.migratable = p.boolean(at); }},
      {"objgroup_id", optional_member,
       [](P& p, E& e, const JsonPath& at) { e.value.objgroup_id = p.wide_integer(at); }},
      {"seq_id", newer_member, [](P& p, E& e, const JsonPath& at) { e.value.seq_id = p.wide_integer(at); }},
      {"type", required_member, [](P& p, E& e, const JsonPath& at) { p.entity_type(e, at); }},
  };
  entity.clear();
  entity.byte = cursor_.offset();
  const std::size_t unreadable = unreadable_;
  object<members>(entity, path, required);
  if (unreadable_ != unreadable || version_ == SchemaVersion::page_2023) return;
  const Entity& value = entity.value;
  if (!value.id && !value.seq_id) {
    add(path, entity.byte, "schema", "missing \"id\" (bit-encoded) or \"seq_id\"");
  } else if (value.migratable == true && value.seq_id && !value.collection_id) {
    add(path, entity.byte, "schema", "missing \"collection_id\" of a migratable entity with \"seq_id\"");
  }
}

void DocumentParser::entity_type(EntityRecord& entity, const JsonPath& path) {
  if (cursor_.take_string("object")) return;
  const std::optional<std::string_view> type = text(path);
  if (!type || *type == "object") return;
  entity.type = *type;
  entity.value.type = entity.type;
}

void DocumentParser::entity_index(EntityRecord& entity, const JsonPath& path) {
  WideInteger single;
  if (cursor_.take_single_integer(single)) {
    entity.index.push_back(static_cast<std::int64_t>(single.bits));
  } else {
    array(path, [&](std::size_t, const JsonPath& at) {
      if (const auto value = integer(at)) entity.index.push_back(*value);
    });
  }
  entity.value.index = entity.index;
}

}  // namespace plimsoll::lbdata

#include "predictor/base/nearest_name.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/scenario/block_program.h"
#include "predictor/scenario/parameter_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace farcast::scenario {

namespace {

using Json = ParameterReader::Json;
using model::Block;
using model::ProgramBlock;

constexpr int kDeepest = 16; // loops within loops
constexpr ParameterRange kProcesses{1, 1e9, "a whole number from 1 to 1e9"};
constexpr ParameterRange kPerNode{1, 1 << 20, "a whole number from 1 to 1048576"};
constexpr ParameterRange kRounds{0, 1e12, "a whole number from 0 to 1e12"};

struct Word { // that names a block in the file
  const char* name;
  ProgramBlock::Kind kind;
  Block formula;
  const char* groups; // of which groups: in words; null: any, in a list
};
constexpr auto kComputation = ProgramBlock::Kind::computation;
constexpr auto kCommunication = ProgramBlock::Kind::communication;
constexpr std::array kWords{Word{"compute", kComputation, Block::point_to_point, "a group"},
                            Word{"send", kCommunication, Block::point_to_point, "two groups [\"from\", \"to\"]"},
                            Word{"broadcast", kCommunication, Block::broadcast, nullptr},
                            Word{"scatter", kCommunication, Block::scatter, nullptr},
                            Word{"gather", kCommunication, Block::gather, nullptr},
                            Word{"all_to_all", kCommunication, Block::all_to_all, nullptr},
                            Word{"barrier", kCommunication, Block::barrier, nullptr},
                            Word{"read", kCommunication, Block::disk_read, "a group"},
                            Word{"write", kCommunication, Block::disk_write, "a group"},
                            Word{"repeat", ProgramBlock::Kind::loop, Block::point_to_point, nullptr}};

std::vector<std::string> words() {
  std::vector<std::string> out;
  out.reserve(std::size(kWords));
  for (const Word& word : kWords) out.emplace_back(word.name);
  return out;
}

// Whether its amount may be that of all processes together: of what a root has, or of no data, it is
// one already.
bool may_be_divided(const Word& word) {
  return word.kind == kComputation || word.formula == Block::point_to_point || word.formula == Block::all_to_all ||
         word.formula == Block::disk_read || word.formula == Block::disk_write;
}

class ProgramReader {
public:
  ProgramReader(ParameterReader& reader, BlockModel& out) : reader_(reader), out_(out) {}

  void groups(const Json& file) {
    const Json* const groups = reader_.required(file, "", "groups");
    if (groups == nullptr) return;
    if (!groups->is_object() || groups->empty() || groups->size() > model::kMostGroups)
      return reader_.fail(
          "groups", fmt::format("found {}, expected an object {{\"label\": {{...}}, ...}} of 1 to {} groups",
                                groups->is_object() ? fmt::format("{} groups", groups->size()) : ParameterReader::shown(*groups),
                                model::kMostGroups));
    for (const auto& [label, value] : groups->items()) {
      const std::string place = ParameterReader::inside("groups", platform::in_quotes(label));
      if (!reader_.object(value, place, {"processes", "per_node"})) return;
      if (label.empty() || label.find_first_of("=,\n") != std::string::npos)
        return reader_.fail(place, "expected a label with letters, and none of = and ,");
      out_.per_node_given.push_back(value.contains("per_node"));
      out_.program.groups.push_back({label, reader_.whole_at(value, place, "processes", kProcesses),
                                     static_cast<int>(reader_.whole_at(value, place, "per_node", kPerNode, 1.0))});
    }
  }

  std::vector<ProgramBlock> blocks(const Json& parent, const std::string& place, int depth) {
    std::vector<ProgramBlock> out;
    const Json* const list = reader_.required(parent, place, "blocks");
    const std::string here = ParameterReader::inside(place, "blocks");
    if (list == nullptr) return out;
    if (!list->is_array() || list->empty())
      reader_.fail(here, fmt::format("found {}, expected a list of blocks",
                                     list->is_array() ? "an empty list" : ParameterReader::shown(*list)));
    else if (depth > kDeepest)
      reader_.fail(here, fmt::format("found loops in loops, more than {} deep", kDeepest));
    for (std::size_t i = 0; reader_.error().empty() && i < list->size(); ++i)
      out.push_back(block((*list)[i], fmt::format("{}[{}]", here, i), depth));
    return out;
  }

private:
  // Returns: null where the entry names none; it has said so.
  const Word* word_of(const Json& value, const std::string& place) {
    if (!value.is_object()) {
      reader_.fail(place, fmt::format("found {}, expected a block such as {{\"compute\": \"label\", \"instructions\": 1e9}}",
                                      ParameterReader::shown(value)));
      return nullptr;
    }
    for (const Word& word : kWords)
      if (value.contains(word.name)) return &word;
    const std::string first = value.empty() ? "" : value.begin().key();
    const auto nearest = base::nearest_names(first, words(), 1);
    reader_.fail(place, fmt::format("found {}, expected an entry {}{}",
                                    value.empty() ? "an empty object" : fmt::format("no block in {}", platform::in_quotes(first)),
                                    fmt::join(words(), ", "),
                                    nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest.front())));
    return nullptr;
  }

  ProgramBlock block(const Json& value, const std::string& place, int depth) {
    ProgramBlock out;
    const Word* const word = word_of(value, place);
    if (word == nullptr) return out;
    out.kind = word->kind;
    out.formula = word->formula;
    if (word->kind == ProgramBlock::Kind::loop) {
      if (!reader_.object(value, place, {"repeat", "blocks"})) return out;
      out.rounds = reader_.whole_at(value, place, word->name, kRounds);
      out.body = blocks(value, place, depth + 1);
      return out;
    }
    const bool computes = word->kind == kComputation;
    const bool barrier = word->formula == Block::barrier;
    const char* const amount = computes ? "instructions" : "bytes";
    const bool known = barrier                 ? reader_.object(value, place, {word->name})
                       : may_be_divided(*word) ? reader_.object(value, place, {word->name, amount, "divided"})
                                               : reader_.object(value, place, {word->name, amount});
    if (!known || !reader_.error().empty()) return out;
    out.groups = groups_of(value.at(word->name), ParameterReader::inside(place, word->name), *word);
    if (!barrier) out.amount = reader_.number_at(value, place, amount, kNotNegative);
    if (!value.contains("divided")) return out;
    const Json& divided = value.at("divided");
    if (!divided.is_boolean())
      reader_.fail(ParameterReader::inside(place, "divided"),
                   fmt::format("found {}, expected true or false", ParameterReader::shown(divided)));
    else
      out.divided = divided.get<bool>();
    return out;
  }

  std::vector<std::size_t> groups_of(const Json& value, const std::string& place, const Word& word) {
    const bool one = word.groups != nullptr && word.formula != Block::point_to_point;
    const bool single = one || word.kind == kComputation;
    std::vector<std::size_t> out;
    if (single && value.is_string()) {
      add_group(value, place, out);
    } else if (!single && value.is_array()) {
      for (const Json& label : value) add_group(label, place, out);
    } else {
      reader_.fail(place, fmt::format("found {}, expected {}", ParameterReader::shown(value),
                                      word.groups != nullptr ? word.groups : "a list of groups"));
    }
    const std::size_t two = 2;
    const bool pair = word.kind == kCommunication && word.formula == Block::point_to_point;
    if (pair ? out.size() != two : out.empty())
      reader_.fail(place, fmt::format("found {} groups, expected {}", out.size(), pair ? word.groups : "at least one"));
    return out;
  }

  void add_group(const Json& label, const std::string& place, std::vector<std::size_t>& out) {
    std::vector<std::string> labels;
    for (const model::ProcessGroup& group : out_.program.groups) labels.push_back(group.label);
    const auto found = label.is_string() ? std::ranges::find(labels, label.get<std::string>()) : labels.end();
    if (found == labels.end())
      return reader_.fail(place,
                          fmt::format("found {}, expected a group: {}", ParameterReader::shown(label), fmt::join(labels, ", ")));
    out.push_back(static_cast<std::size_t>(found - labels.begin()));
  }

  ParameterReader& reader_;
  BlockModel& out_;
};

} // namespace

base::Result<BlockModel> read_block_program(std::string_view text, const std::string& file_name) {
  ParameterReader reader(file_name);
  BlockModel out;
  const Json file = reader.read(text, "farcast-blocks/1", "a program of blocks (man farcast, PROGRAMS OF BLOCKS)",
                                {"format", "description", "groups", "blocks"});
  if (!file.is_discarded() && reader.error().empty()) {
    ProgramReader program(reader, out);
    program.groups(file);
    if (reader.error().empty()) out.program.blocks = program.blocks(file, "", 1);
  }
  if (!reader.error().empty()) return base::fail(reader.error());
  return out;
}

} // namespace farcast::scenario

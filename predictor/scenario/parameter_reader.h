// Entries of a file of parameters, one JSON object: what the models in place of a run have in common.
//
// JSON text -> figures in their ranges. The first error stays, and what is read after it means
// nothing. Errors: "file: entry: found ..., expected ...". Threads: one owner.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace farcast::scenario {

struct ParameterRange {
  double least;
  double most;
  const char* expected; // in words
};
inline constexpr double kLargestParameter = 1e15; // of any figure
inline constexpr ParameterRange kPositive{1 / kLargestParameter, kLargestParameter, "a number above 0"};
inline constexpr ParameterRange kNotNegative{0, kLargestParameter, "a number that is not negative"};
inline constexpr ParameterRange kAny{-kLargestParameter, kLargestParameter, "a number"};

class ParameterReader {
public:
  using Json = nlohmann::ordered_json; // entries stay in the file's order
  using Range = ParameterRange;

  explicit ParameterReader(std::string file_name) : file_name_(std::move(file_name)) {}

  [[nodiscard]] const std::string& error() const { return error_; } // empty: none
  void fail(const std::string& place, const std::string& sentence);

  // Returns: the object that the text is; discarded where it is none, or of another format.
  // `expected`: in place of what is no JSON.
  Json read(std::string_view text, const char* format, const char* expected, std::initializer_list<std::string> entries);
  // Whether it is an object with no entries but these.
  bool object(const Json& value, const std::string& place, std::initializer_list<std::string> entries);
  // Of an entry that has to be there. Returns: null where it is not.
  const Json* required(const Json& object, const std::string& place, const char* name);
  double number(const Json& value, const std::string& place, const Range& range);
  double number_at(const Json& object, const std::string& place, const char* name, const Range& range,
                   std::optional<double> otherwise = std::nullopt);
  double whole_at(const Json& object, const std::string& place, const char* name, const Range& range,
                  std::optional<double> otherwise = std::nullopt);

  // Returns: the value for a sentence; of containers, which may be nested very deep, the kind alone.
  static std::string shown(const Json& value);
  static std::string inside(const std::string& place, const std::string& name) {
    return place.empty() ? name : place + "." + name;
  }

private:
  std::string file_name_;
  std::string error_;
};

} // namespace farcast::scenario

#include "predictor/cli/help.h"

#include "predictor/base/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace farcast::cli {

const char* const kExamples =
    "Examples:\n"
    "  farcast run -np 4 --platform taurus -o run.h5 -- ./app     predict a program on a built-in cluster, and keep the run\n"
    "  farcast predict run.h5 --platform my.xml --full            the same run elsewhere, with the whole report\n"
    "  farcast whatif run.h5 --ppn 1,2,4 --bandwidth x1,x4        many questions of one run, in one table\n"
    "farcast help COMMAND and `man farcast` say more.\n";

namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::vector<std::string> commands_of(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](CLI::App* command) { return !command->get_group().empty(); }))
    names.push_back(one->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string meant(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string> nearest = base::nearest_names(word, names, 1);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest.front());
}

// Returns: the command that the words name, and what is left of them.
struct Named {
  CLI::App* command;
  std::string path; // "platform show"
  std::vector<std::string> rest;
};

Named named_by(CLI::App& app, const std::vector<std::string>& words) {
  Named named{&app, "", words};
  while (!named.rest.empty()) {
    const std::string& word = named.rest.front();
    const auto next = named.command->get_subcommands([&](CLI::App* command) { return command->check_name(word); });
    if (next.empty()) break;
    named.command = next.front();
    named.path += (named.path.empty() ? "" : " ") + named.rest.front();
    named.rest.erase(named.rest.begin());
  }
  return named;
}

std::string called(const Named& named) { return named.path.empty() ? "farcast" : "farcast " + named.path; }

} // namespace

std::vector<std::string> with_help_option(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

std::string unknown_command(CLI::App& app, const std::vector<std::string>& words) {
  const Named named = named_by(app, words);
  const std::vector<std::string> commands = commands_of(*named.command);
  if (commands.empty() || named.rest.empty() || is_option(named.rest.front())) return "";
  return fmt::format("found '{} {}', expected one of the commands {}{}", called(named), named.rest.front(),
                     fmt::join(commands, ", "), meant(named.rest.front(), commands));
}

std::string unknown_word(CLI::App& app, const std::vector<std::string>& words) {
  if (std::string command = unknown_command(app, words); !command.empty()) return command;
  const Named named = named_by(app, words);
  const std::string prefix = called(named);
  const std::vector<std::string> known = options_of(*named.command);
  for (const std::string& left : app.remaining(true)) {
    const std::string word = left.substr(0, left.find('='));
    if (is_option(word) && word != "--")
      return fmt::format("found '{}', expected an option of {}{}", word, prefix, meant(word, known));
    if (!left.empty() && word != "--") return fmt::format("found '{}' too much", left);
  }
  return "";
}

CLI::Validator one_of(std::vector<std::string> names) {
  return CLI::Validator(
      [names = std::move(names)](const std::string& found) {
        if (std::find(names.begin(), names.end(), found) != names.end()) return std::string();
        return fmt::format("found '{}', expected one of {}{}", found, fmt::join(names, ", "), meant(found, names));
      },
      "");
}

} // namespace farcast::cli

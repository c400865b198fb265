// What helps somebody who typed something that is not known: the help of a command, and the names
// that are nearest to what was typed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace farcast::cli {

// Three lines that work, below the help of `farcast` itself.
extern const char* const kExamples;

// Returns: `words` with "help predict" as "predict --help", and "help" alone as "--help".
std::vector<std::string> with_help_option(std::vector<std::string> words);

// Returns: that the words name no command, with the nearest; empty: they do.
std::string unknown_command(CLI::App& app, const std::vector<std::string>& words);

// Returns: why the first word that is not known is refused, with the nearest names; empty: the
// command line fails for another reason. Requires: app.parse() has thrown.
std::string unknown_word(CLI::App& app, const std::vector<std::string>& words);

// A value that has to be one of these names; else they are said, with the nearest.
CLI::Validator one_of(std::vector<std::string> names);

} // namespace farcast::cli

#include "cli/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/object_locations.hpp"
#include "cli/write_target.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/render/render.hpp"

namespace gpusched::cli {

namespace {

constexpr std::size_t kMaxPath = 200;

struct ReportFile {
  render::Format format;
  std::string path;
};

Result<std::vector<ReportFile>> report_files(const Arguments& arguments) {
  std::vector<ReportFile> files;
  for (const std::string& word : arguments.all("report")) {
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    const std::optional<render::Format> format = render::parse_format(name);
    if (equals == std::string::npos || equals + 1 == word.size() || !format) {
      return bad_usage(fmt::format("--report takes FORMAT=FILE with one of the formats {}, not {}",
                                   join(render::format_names(), ", "), quote(word, kMaxPath)),
                       "for example --report json=answer.json");
    }
    std::string path = word.substr(equals + 1);
    if (path == "-") {
      return bad_usage("--report writes into a file, not to standard output",
                       render::is_printed(*format) ? fmt::format("-o {} prints it", name)
                                                   : fmt::format("--report {}=/dev/stdout prints it", name));
    }
    if (std::ranges::any_of(files, [&](const ReportFile& other) { return same_target(other.path, path); })) {
      return bad_usage(fmt::format("two --report write into {}", quote(path, kMaxPath)));
    }
    files.push_back({*format, std::move(path)});
  }
  return files;
}

}  // namespace

void report_notes(const Diagnostics& notes, const Arguments& arguments, const Terminal& terminal) {
  Diagnostics shown;
  std::ranges::copy_if(notes, std::back_inserter(shown), [&](const Diagnostic& note) {
    return note.severity != Severity::kNote || arguments.has("verbose");
  });
  terminal.report(shown);
}

int cannot_answer(const Diagnostics& errors, const Terminal& terminal) {
  terminal.report(errors);
  return kCannotAnswer;
}

Result<bool> check_answer(const Arguments& arguments) {
  const Result<std::vector<ReportFile>> files = report_files(arguments);
  if (!files) {
    return std::unexpected(files.error());
  }
  return true;
}

report::Cluster cluster_for(const Arguments& arguments) {
  const std::optional<render::Format> printed = render::parse_format(arguments.get("output"));
  const Result<std::vector<ReportFile>> files = report_files(arguments);
  const bool drawn = (printed && render::draws(*printed)) ||
                     (files && std::ranges::any_of(*files, render::draws, &ReportFile::format));
  return drawn ? report::Cluster::kShown : report::Cluster::kLeftOut;
}

int answer(const report::Document& document, const Arguments& arguments, Terminal& terminal, int code) {
  const Result<std::vector<ReportFile>> files = report_files(arguments);
  if (!files) {
    return cannot_answer(files.error(), terminal);
  }
  const render::Format printed = render::parse_format(arguments.get("output")).value_or(render::Format::kTable);
  const render::Options options{.headers = !arguments.has("no-headers")};
  const auto cannot_write = [&](std::string_view option, render::Format format) {
    return cannot_answer(
        bad_usage(fmt::format("{}: this answer cannot be written as {}", option, render::name_of(format))).error(),
        terminal);
  };
  if (!render::can_render(document, printed)) {
    return cannot_write("-o", printed);
  }
  for (const ReportFile& file : *files) {
    if (!render::can_render(document, file.format)) {
      return cannot_write("--report", file.format);
    }
  }
  // What a format shows must not depend on the other formats that are wanted.
  report::Document plain =
      cluster_for(arguments) == report::Cluster::kShown ? report::without_drawings(document) : document;
  if (std::ranges::any_of(*files, render::tells_places, &ReportFile::format)) {
    plain.locations.merge(object_locations(arguments));
  }
  const auto rendered = [&](render::Format format) {
    return render::render(render::draws(format) ? document : plain, format, options);
  };
  for (const ReportFile& file : *files) {
    if (const auto written = write_target(file.path, rendered(file.format)); !written) {
      return cannot_answer(written.error(), terminal);
    }
  }
  if (terminal.keeps_answers()) {
    terminal.keep_answer(rendered(render::Format::kJson));
  }
  return terminal.print(rendered(printed)) ? code : kCannotAnswer;
}

}  // namespace gpusched::cli

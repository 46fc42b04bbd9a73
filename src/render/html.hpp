#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

/// The parts of a page. Everything that comes from a document passes `escape` once; functions and members whose comment
/// does not say plain text give and take markup.
namespace gpusched::render::html {

using Json = nlohmann::ordered_json;

/// Plain text for an element or an attribute in double quotes: markup means nothing, and control characters, direction
/// marks and characters without width are made visible as on a terminal.
[[nodiscard]] std::string escape(std::string_view text);

/// The member of an object, null when it is not there: what later or earlier documents lack leaves its place empty.
[[nodiscard]] const Json& get(const Json& object, std::string_view key);
/// A text, "" for anything else.
[[nodiscard]] const std::string& get_text(const Json& object, std::string_view key);
/// A number, 0 for anything else.
[[nodiscard]] double get_number(const Json& object, std::string_view key);

/// A value as people read it, not escaped: "–" for null, at most two decimals, "2 to 4" for {min, max}, lists with
/// commas.
[[nodiscard]] std::string plain(const Json& value);
/// The same, escaped.
[[nodiscard]] std::string text(const Json& value);
/// A value as indented JSON for a <pre>, escaped.
[[nodiscard]] std::string json_text(const Json& value);
/// "(unnamed)" for a pod without a name.
[[nodiscard]] std::string pod_text(const Json& name);
/// "1 GPU", "2 GPUs".
[[nodiscard]] std::string count_of(double count, std::string_view what);

enum class Mood : std::uint8_t { kGood, kBad, kOpen };
/// A word in a colour, with a sign for those who do not see it.
[[nodiscard]] std::string badge(Mood mood, std::string_view words);

struct Column {
  std::string title;
  bool number = false;  ///< aligned to the right, sorted as numbers
  bool pick = false;    ///< has few values, of which the reader may pick one
};

/// A table that can be sorted, and filtered when it is long.
class Table {
 public:
  Table(std::string caption, std::vector<Column> columns);
  /// Cells are markup, one for each column. `attributes` go to the row.
  void add(const std::vector<std::string>& cells, std::string_view attributes = {});
  [[nodiscard]] std::size_t size() const { return rows_; }
  [[nodiscard]] std::string html() const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  std::string body_;
  std::size_t rows_ = 0;
};

/// A part of a bar: its length in the bar's unit, and a class of the stylesheet.
struct Stretch {
  double length;
  std::string_view kind;
};
/// A bar of stretches side by side; `label` says in words what it shows.
[[nodiscard]] std::string bar(const std::vector<Stretch>& stretches, double whole, std::string_view label);

struct Tile {
  std::string value;  ///< markup
  std::string label;  ///< plain
};
struct Section {
  std::string id;
  std::string title;  ///< plain
  std::string html;
};
/// The colour of each pod, the same in all maps of a page.
using PodColors = std::map<std::string, std::size_t>;

struct Page {
  std::string title;  ///< plain
  std::string lead;   ///< markup: the answer in a sentence
  std::vector<Tile> tiles;
  std::vector<Section> sections;
  PodColors colors = {};
};

/// The whole file, with the stylesheet and the script in it.
[[nodiscard]] std::string whole_page(const Page& page, const Json& document);

}  // namespace gpusched::render::html

#include "gpusched/io/price_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"
#include "io/csv.hpp"

namespace gpusched::io {

namespace {

constexpr std::size_t kWholeDigits = 9;
constexpr std::size_t kFractionDigits = 6;

/// "98.32" as 98320000; none for anything else.
std::optional<std::int64_t> parse_price(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || whole.size() > kWholeDigits || fraction.size() > kFractionDigits ||
      (point != std::string_view::npos && fraction.empty())) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (std::size_t i = 0; i < whole.size() + kFractionDigits; ++i) {
    const std::size_t after = i - std::min(i, whole.size());
    const char digit = i < whole.size() ? whole[i] : after < fraction.size() ? fraction[after] : '0';
    if (digit < '0' || digit > '9') {
      return std::nullopt;
    }
    value = value * 10 + (digit - '0');
  }
  return value;
}

std::string wrong(std::string_view name, std::string_view price) {
  return fmt::format("the price of {} is {}, expected a number with at most {} digits and {} decimals", quote(name),
                     quote(price), kWholeDigits, kFractionDigits);
}

Diagnostic about_line(const Source& source, std::uint32_t line, std::string code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.source = source.name;
  diagnostic.line = line;
  return diagnostic;
}

Result<PriceList> read_table(const Source& source) {
  PriceList prices;
  Diagnostics errors;
  CsvReader reader(source.bytes);
  std::vector<std::string> cells;
  for (bool first = true; reader.next(cells); first = false) {
    if (cells.size() != 2 || cells[0].empty()) {
      errors.push_back(about_line(source, reader.line(), "bad-price", "expected the two cells name,price"));
      continue;
    }
    const std::optional<std::int64_t> price = parse_price(cells[1]);
    if (!price && first && cells[1].find_first_of("0123456789") == std::string::npos) {
      continue;  // a header
    }
    if (!price) {
      errors.push_back(about_line(source, reader.line(), "bad-price", wrong(cells[0], cells[1])));
    } else if (!prices.emplace(cells[0], *price).second) {
      errors.push_back(
          about_line(source, reader.line(), "duplicate-price", fmt::format("{} has a price already", quote(cells[0]))));
    }
  }
  return errors.empty() ? Result<PriceList>(std::move(prices)) : std::unexpected(std::move(errors));
}

Result<PriceList> read_object(Source source) {
  const Result<std::vector<Document>> documents = parse_documents(std::move(source));
  if (!documents) {
    return std::unexpected(documents.error());
  }
  PriceList prices;
  Diagnostics errors;
  for (const Document& document : *documents) {
    Decoder decoder(document);
    if (!document.root.is_object()) {
      decoder.error(document.root, "bad-price", "expected an object of prices by name");
    }
    for (const Member& member : document.root.members()) {
      const std::string_view text = member.value.text();
      if (const std::optional<std::int64_t> price = parse_price(text)) {
        prices[std::string(member.key())] = *price;
      } else {
        decoder.error(member.value, "bad-price", wrong(member.key(), text));
      }
    }
    Diagnostics found = decoder.take_diagnostics();
    errors.insert(errors.end(), found.begin(), found.end());
  }
  return errors.empty() ? Result<PriceList>(std::move(prices)) : std::unexpected(std::move(errors));
}

/// A comma in the first line, and no sign of an object or a list at its start. Names of shapes have colons.
bool is_table(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.contains(',') && !line.starts_with('{') && !line.starts_with('[') && !line.starts_with('-');
}

}  // namespace

Result<PriceList> read_prices(Source source) {
  return is_table(source.bytes) ? read_table(source) : read_object(std::move(source));
}

}  // namespace gpusched::io

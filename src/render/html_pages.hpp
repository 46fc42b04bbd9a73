#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/html.hpp"

namespace gpusched::render {

/// A report document as one page of HTML that needs nothing else: it opens from a disk, works without its script,
/// prints, and shows hostile names as text. Kinds without a page of their own get their members as tables.
[[nodiscard]] std::string html_page(const nlohmann::ordered_json& document);

namespace html {

[[nodiscard]] Page placement_page(const Json& report);
[[nodiscard]] Page fragmentation_page(const Json& report);
[[nodiscard]] Page pending_page(const Json& report);
[[nodiscard]] Page pending_list_page(const Json& list);
[[nodiscard]] Page workload_page(const Json& report);
[[nodiscard]] Page message_page(const Json& report);
[[nodiscard]] Page allocation_page(const Json& report);
[[nodiscard]] Page gang_page(const Json& report);
[[nodiscard]] Page chain_page(const Json& report);
/// Members of a document as they are.
[[nodiscard]] Page any_page(const Json& document);
/// Puts members that are not among `shown` behind the page's sections, as they are.
void add_members(const Json& document, std::span<const std::string_view> shown, Page& page);

/// The sizes, gangs, time-sliced capacity and MIG that placement and fragmentation share.
[[nodiscard]] Section fragmentation_section(const Json& report);
/// The list `fixes` of a report, "" without any.
[[nodiscard]] std::string fix_table(const Json& fixes);
/// Pods of a PlacementReport that got a node.
[[nodiscard]] std::set<std::string> placed_pods(const Json& report);
/// Two `fragmentation` objects side by side.
[[nodiscard]] std::string compare_sizes(const Json& before, const Json& after);
/// What a report was asked beside: its members drainable, defrag, minNodes, compare, repartition.
[[nodiscard]] std::vector<Section> search_sections(const Json& report);
/// What Kueue's queues decided: the member `admission` of a GangReport or ChainReport.
[[nodiscard]] std::vector<Section> admission_sections(const Json& admission);
/// Puts the edits of a what-if, and the answer before them beside the one after, in front of the page's sections.
void add_what_if(const Json& what_if, const Json& document, Page& page);
/// A value of any shape as nested lists and tables.
[[nodiscard]] std::string any_value(const Json& value);

}  // namespace html
}  // namespace gpusched::render

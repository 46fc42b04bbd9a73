#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "gpusched/base/text.hpp"
#include "render/cases.hpp"
#include "render/html.hpp"
#include "render/html_assets.inc"
#include "render/html_pages.hpp"

namespace gpusched::render {

namespace html {

namespace {

// Nothing is loaded and nothing but our own stylesheet and script counts, whatever a name in the document says.
std::string head(const Page& page) {
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{} - gpusched</title>
<style>{}</style>
</head>
)",
      kStyleHash, kScriptHash, escape(page.title), kStyle);
}

std::string tiles(const Page& page) {
  if (page.tiles.empty()) {
    return {};
  }
  std::string out = R"(<dl class="tiles">)";
  for (const Tile& tile : page.tiles) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape(tile.label), tile.value);
  }
  return out + "</dl>\n";
}

std::string contents(const Page& page) {
  if (page.sections.size() < 2) {
    return {};
  }
  std::string out = R"(<nav aria-label="Contents"><ul>)";
  for (const Section& section : page.sections) {
    out += fmt::format(R"(<li><a href="#{}">{}</a></li>)", section.id, escape(section.title));
  }
  return out + "</ul></nav>\n";
}

}  // namespace

std::string whole_page(const Page& page, const Json& document) {
  std::string out = head(page);
  out += fmt::format(
      R"(<body>
<a class="skip" href="#main">Skip to the answer</a>
<header><h1>{}</h1>
<p class="lead">{}</p>
{}{}</header>
<main id="main">
)",
      escape(page.title), page.lead, tiles(page), contents(page));
  for (const Section& section : page.sections) {
    out +=
        fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
                    section.id, escape(section.title), section.html);
  }
  out += fmt::format("</main>\n<footer>{} of gpusched, {}</footer>\n<script>{}</script>\n</body>\n</html>\n",
                     escape(get_text(document, "kind")), escape(get_text(document, "apiVersion")), kScript);
  return out;
}

}  // namespace html

std::string html_page(const html::Json& document) {
  using html::Page;
  struct Builder {
    std::string_view kind;
    Page (*build)(const html::Json&);
    std::vector<std::string_view> shown;  ///< members that the page tells in its own way; the others come behind
  };
  static const std::array kBuilders = {
      Builder{"PlacementReport",
              &html::placement_page,
              {"view", "policy", "pods", "victims", "placed", "unplaced", "fill", "drainable", "defrag", "minNodes",
               "compare", "fragmentation", "mig", "cluster"}},
      Builder{"FragmentationReport",
              &html::fragmentation_page,
              {"fragmentation", "mig", "blockers", "by", "groups", "baseline", "repartition", "violations", "cluster"}},
      Builder{"PendingReport",
              &html::pending_page,
              {"pod", "verdict", "message", "messages", "plugin", "pluginMessage", "node", "bestNodes", "feasibleNodes",
               "sampled", "nodes", "nominatedNode", "victims", "preemptions", "deallocated", "claims", "explanation",
               "fixes"}},
      Builder{"PendingReportList", &html::pending_list_page, {"causes", "missingPods", "items"}},
      Builder{"WorkloadReport",
              &html::workload_page,
              {"workload", "podsWithNode", "podsWithoutNode", "explanation", "causes", "items"}},
      Builder{"MessageReport", &html::message_page, {"message", "explanation"}},
      Builder{"AllocationReport",
              &html::allocation_page,
              {"claims", "node", "outcome", "error", "allocator", "steps", "whyNot"}},
      Builder{"GangReport",
              &html::gang_page,
              {"mode", "gpus", "makespan", "idleGpuHours", "utilisation", "counts", "deadlock", "metrics", "jobs",
               "admission", "events", "stays", "cluster"}},
      Builder{
          "ChainReport",
          &html::chain_page,
          {"links", "nodes", "capacity", "labels", "flavors", "queues", "objects", "changes", "gates", "admission"}},
  };
  const std::string kind = kind_of(document);
  const auto builder = std::ranges::find(kBuilders, kind, &Builder::kind);
  Page page;
  if (builder == kBuilders.end()) {
    page = html::any_page(document);
  } else {
    page = builder->build(document);
    html::add_members(document, builder->shown, page);
  }
  html::add_what_if(html::get(document, "whatIf"), document, page);
  return html::whole_page(page, document);
}

}  // namespace gpusched::render

#include "cli/memory_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>

#include "cli/terminal.hpp"
#include "cli/write_target.hpp"
#include "gpusched/base/quantity.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

constexpr std::int64_t kMinBytes = std::int64_t{64} << 20;  // what the program needs to tell of an error

/// There is no memory left to unwind in: say it and go.
[[noreturn]] void out_of_memory() {
  constexpr std::string_view kMessage =
      "error: the answer needs more memory than there is\n"
      "  hint: ask about less, or allow more with --max-memory if that was given\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  remove_unfinished();
  _exit(kCannotAnswer);
}

}  // namespace

Result<bool> limit_memory(const Arguments& arguments) {
  std::set_new_handler(&out_of_memory);
  if (!arguments.has("max-memory")) {
    return true;
  }
  const std::string_view text = arguments.get("max-memory");
  const auto size = try_parse_quantity(text);
  if (!size || !size->is_integer() || size->value() < kMinBytes) {
    return bad_usage(fmt::format("--max-memory takes a size of at least 64Mi, not {}", quote(text)),
                     "for example --max-memory 2Gi");
  }
  // RLIMIT_DATA, not RLIMIT_AS: a file that is mapped to be read is no memory that has to be there.
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  const auto bytes = static_cast<rlim_t>(size->value());
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max ? bytes : limit.rlim_max;
  if (setrlimit(RLIMIT_DATA, &limit) != 0) {
    return fail("no-memory-limit", "--max-memory: this system does not let a program limit itself", "");
  }
  return true;
}

}  // namespace gpusched::cli

#pragma once

#include <string>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::cli {

/// Writes a text to where a path leads. A regular file, also one behind symbolic links, is replaced whole or not at all
/// and keeps its mode; where its folder takes no new file, it is written in place. Anything else (a device, a FIFO, an
/// open descriptor such as /dev/stdout or a process substitution) is written in place; a reader that went away is no
/// error. Error code "write-failed".
[[nodiscard]] Result<bool> write_target(const std::string& path, std::string_view text);

/// Whether two paths lead to the same place.
[[nodiscard]] bool same_target(const std::string& a, const std::string& b);

/// Removes a file that is half written; for ends of the program that leave nothing else to do.
void remove_unfinished();

/// From now on SIGINT, SIGTERM and SIGHUP remove a file that is being written before they end the program: SIGINT with
/// `interrupted` as exit code, the others as the signal does. Signals that the caller has ignored stay ignored.
void remove_unfinished_on_signals(int interrupted);

}  // namespace gpusched::cli

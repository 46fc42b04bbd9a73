#pragma once

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/terminal.hpp"

namespace gpusched::cli {

/// What `gang --mode kueue` takes beside the options of all modes.
inline constexpr OptionSpec kKueueObjectsOption{
    .name = "objects",
    .value = "FILE",
    .help = "mode kueue: a file with queues and Workloads beside or instead of CLUSTER",
    .repeatable = true};
inline constexpr OptionSpec kKueueNamespaceOption{
    .name = "namespace",
    .letter = 'n',
    .value = "NAMESPACE",
    .help = "mode kueue: of objects and names of events that have none (default: default)"};
inline constexpr OptionSpec kKueueConfigOption{
    .name = "kueue-config",
    .value = "FILE",
    .help = "mode kueue: Kueue's Configuration, alone or in its ConfigMap (default: that of the release)"};
inline constexpr OptionSpec kKueueEventsOption{
    .name = "events",
    .value = "FILE",
    .help = "mode kueue: what happens one after another: create, finish, ready, advance, replace"};
inline constexpr OptionSpec kKueueClockOption{
    .name = "clock",
    .value = "TIME",
    .help = "mode kueue: when it begins, in RFC 3339 (default: the newest time in the Workloads)"};

/// Kueue's admission of the Workloads of the input. Exit code 1 when one is pending.
[[nodiscard]] int run_kueue(const Arguments& arguments, Terminal& terminal);

}  // namespace gpusched::cli

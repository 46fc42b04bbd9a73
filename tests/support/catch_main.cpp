// Compiled once for all test executables: this file takes longer than most tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

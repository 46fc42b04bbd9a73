#include "gpusched/base/quantity.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace gpusched {
namespace {

constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

Quantity quantity(std::string_view text) {
  const auto parsed = try_parse_quantity(text);
  REQUIRE(parsed);
  return *parsed;
}

// The expected values of the tables are the answers of k8s.io/apimachinery v0.37.2.

struct ReadCase {
  const char* name;
  const char* text;
  const char* printed;
  QuantityFormat format;
  std::int64_t value;
  std::int64_t milli_value;
  int sign;
};

const ReadCase kReadCases[] = {
    {"zero", "0", "0", QuantityFormat::kDecimalSi, 0, 0, 0},
    {"zero-with-sign", "-0", "0", QuantityFormat::kDecimalSi, 0, 0, 0},
    {"leading-zeros-only", "000", "0", QuantityFormat::kDecimalSi, 0, 0, 0},
    {"sign-alone-is-zero", "+", "0", QuantityFormat::kDecimalSi, 0, 0, 0},
    {"minus-alone-is-zero", "-", "0", QuantityFormat::kDecimalSi, 0, 0, 0},
    {"dot-alone-is-zero", ".", "0", QuantityFormat::kDecimalSi, 0, 0, 0},
    {"suffix-alone-is-zero", "k", "0", QuantityFormat::kDecimalSi, 0, 0, 0},
    {"binary-suffix-alone-is-zero", "Ki", "0", QuantityFormat::kBinarySi, 0, 0, 0},
    {"exponent-alone-is-zero", "e5", "0", QuantityFormat::kDecimalExponent, 0, 0, 0},
    {"zero-with-suffix", "0Gi", "0", QuantityFormat::kBinarySi, 0, 0, 0},
    {"zero-fraction-binary", "0.0Ki", "0", QuantityFormat::kBinarySi, 0, 0, 0},
    {"one", "1", "1", QuantityFormat::kDecimalSi, 1, 1000, 1},
    {"plain", "12345", "12345", QuantityFormat::kDecimalSi, 12345, 12345000, 1},
    {"plus-sign-is-kept", "+5", "+5", QuantityFormat::kDecimalSi, 5, 5000, 1},
    {"negative", "-7", "-7", QuantityFormat::kDecimalSi, -7, -7000, -1},
    {"leading-zeros-are-kept", "007", "007", QuantityFormat::kDecimalSi, 7, 7000, 1},
    {"dot-at-the-end-is-kept", "5.", "5.", QuantityFormat::kDecimalSi, 5, 5000, 1},
    {"dot-at-the-start", ".5", "500m", QuantityFormat::kDecimalSi, 1, 500, 1},
    {"fraction", "0.5", "500m", QuantityFormat::kDecimalSi, 1, 500, 1},
    {"fraction-kept-as-written", "1.500", "1.500", QuantityFormat::kDecimalSi, 2, 1500, 1},
    {"fraction-of-one-digit", "1.5", "1500m", QuantityFormat::kDecimalSi, 2, 1500, 1},
    {"thousand", "1000", "1k", QuantityFormat::kDecimalSi, 1000, 1000000, 1},
    {"ten-thousand", "10000", "10k", QuantityFormat::kDecimalSi, 10000, 10000000, 1},
    {"two-thousand-five-hundred", "2500", "2500", QuantityFormat::kDecimalSi, 2500, 2500000, 1},
    {"nano", "1n", "1n", QuantityFormat::kDecimalSi, 1, 1, 1},
    {"micro", "100u", "100u", QuantityFormat::kDecimalSi, 1, 1, 1},
    {"milli", "100m", "100m", QuantityFormat::kDecimalSi, 1, 100, 1},
    {"whole-in-milli", "1000m", "1", QuantityFormat::kDecimalSi, 1, 1000, 1},
    {"rounded-up-value", "1001m", "1001m", QuantityFormat::kDecimalSi, 2, 1001, 1},
    {"rounded-away-from-zero", "-1001m", "-1001m", QuantityFormat::kDecimalSi, -2, -1001, -1},
    {"negative-milli", "-100m", "-100m", QuantityFormat::kDecimalSi, -1, -100, -1},
    {"kilo", "3k", "3k", QuantityFormat::kDecimalSi, 3000, 3000000, 1},
    {"mega", "12M", "12M", QuantityFormat::kDecimalSi, 12000000, 12000000000, 1},
    {"giga", "2G", "2G", QuantityFormat::kDecimalSi, 2000000000, 2000000000000, 1},
    {"tera", "4T", "4T", QuantityFormat::kDecimalSi, 4000000000000, 4000000000000000, 1},
    {"peta", "5P", "5P", QuantityFormat::kDecimalSi, 5000000000000000, 5000000000000000000, 1},
    {"exa", "6E", "6E", QuantityFormat::kDecimalSi, 6000000000000000000, 0, 1},
    {"exa-is-not-an-exponent", "1E", "1E", QuantityFormat::kDecimalSi, 1000000000000000000, 0, 1},
    {"fraction-of-kilo", "1.5k", "1500", QuantityFormat::kDecimalSi, 1500, 1500000, 1},
    {"exa-without-suffix-left", "1000E", "1", QuantityFormat::kDecimalSi, 0, 0, 1},
    {"exa-beyond-int64", "10E", "10E", QuantityFormat::kDecimalSi, 0, 0, 1},
    {"kibi", "1Ki", "1Ki", QuantityFormat::kBinarySi, 1024, 1024000, 1},
    {"kibi-of-multiple-of-eight", "1024Ki", "1Mi", QuantityFormat::kBinarySi, 1048576, 1048576000, 1},
    {"mebi", "64Mi", "64Mi", QuantityFormat::kBinarySi, 67108864, 67108864000, 1},
    {"gibi", "80Gi", "80Gi", QuantityFormat::kBinarySi, 85899345920, 85899345920000, 1},
    {"tebi", "2Ti", "2Ti", QuantityFormat::kBinarySi, 2199023255552, 2199023255552000, 1},
    {"pebi", "3Pi", "3Pi", QuantityFormat::kBinarySi, 3377699720527872, 3377699720527872000, 1},
    {"exbi", "7Ei", "7Ei", QuantityFormat::kBinarySi, 8070450532247928832, kMinInt64, 1},
    {"exbi-capped", "8Ei", "9223372036854775807", QuantityFormat::kBinarySi, 9223372036854775807, -1000, 1},
    {"exbi-capped-far", "100Ei", "9223372036854775807", QuantityFormat::kBinarySi, 9223372036854775807, -1000, 1},
    {"negative-exbi-capped", "-9Ei", "-9223372036854775807", QuantityFormat::kBinarySi, -9223372036854775807, 1000, -1},
    {"fraction-of-gibi", "1.5Gi", "1536Mi", QuantityFormat::kBinarySi, 1610612736, 1610612736000, 1},
    {"fraction-of-kibi", "0.5Ki", "512", QuantityFormat::kBinarySi, 512, 512000, 1},
    {"inexact-binary-is-decimal", "1.0001Ki", "1024102400u", QuantityFormat::kBinarySi, 1025, 1024103, 1},
    {"tiny-binary-is-decimal", "0.0001Ki", "102400u", QuantityFormat::kDecimalSi, 1, 103, 1},
    {"negative-fraction-of-kibi", "-1.3Ki", "-1331200m", QuantityFormat::kBinarySi, -1330, -1331200, -1},
    {"mebi-of-a-node-dump", "515921Mi", "515921Mi", QuantityFormat::kBinarySi, 540982378496, 540982378496000, 1},
    {"kibi-of-a-node-dump", "1056363440Ki", "1056363440Ki", QuantityFormat::kBinarySi, 1081716162560, 1081716162560000,
     1},
    {"exponent", "12e6", "12e6", QuantityFormat::kDecimalExponent, 12000000, 12000000000, 1},
    {"capital-exponent", "12E6", "12E6", QuantityFormat::kDecimalExponent, 12000000, 12000000000, 1},
    {"exponent-not-a-multiple-of-three", "1e4", "10e3", QuantityFormat::kDecimalExponent, 10000, 10000000, 1},
    {"exponent-with-plus", "1e+3", "1e+3", QuantityFormat::kDecimalExponent, 1000, 1000000, 1},
    {"exponent-with-minus", "5e-3", "5e-3", QuantityFormat::kDecimalExponent, 1, 5, 1},
    {"exponent-zero", "7e0", "7e0", QuantityFormat::kDecimalExponent, 7, 7000, 1},
    {"exponent-minus-zero", "7e-0", "7e-0", QuantityFormat::kDecimalExponent, 7, 7000, 1},
    {"exponent-with-zeros", "7e0003", "7e0003", QuantityFormat::kDecimalExponent, 7000, 7000000, 1},
    {"exponent-below-nano-rounds-up", "1e-10", "1e-9", QuantityFormat::kDecimalExponent, 1, 1, 1},
    {"negative-below-nano-rounds-away", "-1e-12", "-1e-9", QuantityFormat::kDecimalExponent, 1, 1, -1},
    {"exponent-large", "1e30", "1e30", QuantityFormat::kDecimalExponent, 0, 0, 1},
    {"exponent-wraps-in-32-bits", "1e4294967296", "1e4294967296", QuantityFormat::kDecimalExponent, 1, 1000, 1},
    {"exponent-at-the-end-of-int32", "1e2147483647", "10e2147483646", QuantityFormat::kDecimalExponent, 0, 1, 1},
    {"below-nano-rounds-up", "0.0000000001", "1n", QuantityFormat::kDecimalSi, 1, 1, 1},
    {"nano-rounds-up-with-digits", "1.0000000001", "1000000001n", QuantityFormat::kDecimalSi, 2, 1001, 1},
    {"tenth-of-nano", "0.1n", "1n", QuantityFormat::kDecimalSi, 1, 1, 1},
    {"largest-int64", "9223372036854775807", "9223372036854775807", QuantityFormat::kDecimalSi, 9223372036854775807,
     -1000, 1},
    {"smallest-int64", "-9223372036854775808", "-9223372036854775808", QuantityFormat::kDecimalSi, 0, 0, -1},
    {"one-above-int64", "9223372036854775808", "9223372036854775808", QuantityFormat::kDecimalSi, kMinInt64, 0, 1},
    {"eighteen-digits", "999999999999999999", "999999999999999999", QuantityFormat::kDecimalSi, 999999999999999999,
     3875820019684211736, 1},
    {"nineteen-digits", "1234567890123456789", "1234567890123456789", QuantityFormat::kDecimalSi, 1234567890123456789,
     -1363962815083169272, 1},
    {"long-digits", "123456789012345678901234567890", "123456789012345678901234567890", QuantityFormat::kDecimalSi,
     -4362896299872285998, 8982045596877734992, 1},
    {"long-fraction", "3.14159265358979323846264338327950288", "3141592654n", QuantityFormat::kDecimalSi, 4, 3142, 1},
    {"long-negative-fraction", "-2.00000000000000000000000001", "-2000000001n", QuantityFormat::kDecimalSi, -1, -1999,
     -1},
    {"milli-overflow-of-peta-is-zero", "16P", "16P", QuantityFormat::kDecimalSi, 16000000000000000, 0, 1},
    {"milli-overflow-of-kilo-wraps", "99999999999999k", "99999999999999k", QuantityFormat::kDecimalSi,
     99999999999999000, 7766279631451241920, 1},
    {"value-overflow-of-giga-wraps", "99999999999G", "99999999999G", QuantityFormat::kDecimalSi, 7766279630452241920, 0,
     1},
    {"largest-int64-in-kibi", "9007199254740991Ki", "9007199254740991Ki", QuantityFormat::kBinarySi,
     9223372036854774784, -1024000, 1},
    {"decimal-form-of-negative", "-1234567890123456789m", "-1234567890123456789m", QuantityFormat::kDecimalSi,
     -1096246370, -1096246371336, -1},
};

struct RefusedCase {
  const char* name;
  const char* text;
  QuantityError error;
};

const RefusedCase kRefusedCases[] = {
    {"empty", "", QuantityError::kFormatWrong},
    {"space-before", " 1", QuantityError::kFormatWrong},
    {"space-after", "1 ", QuantityError::kFormatWrong},
    {"space-inside", "1 Gi", QuantityError::kFormatWrong},
    {"letters", "abc", QuantityError::kFormatWrong},
    {"two-dots", "1.2.3", QuantityError::kFormatWrong},
    {"two-signs", "+-1", QuantityError::kSuffix},
    {"hexadecimal", "0x10", QuantityError::kFormatWrong},
    {"comma", "1,5", QuantityError::kFormatWrong},
    {"unknown-suffix", "1K", QuantityError::kSuffix},
    {"lower-case-binary", "1ki", QuantityError::kSuffix},
    {"bytes", "1KiB", QuantityError::kFormatWrong},
    {"two-suffixes", "1kM", QuantityError::kSuffix},
    {"digits-after-suffix", "1k5", QuantityError::kSuffix},
    {"exponent-without-digits", "1e", QuantityError::kSuffix},
    {"exponent-with-sign-only", "1e+", QuantityError::kSuffix},
    {"exponent-with-two-signs", "1e+-3", QuantityError::kFormatWrong},
    {"exponent-beyond-int64", "1e9223372036854775808", QuantityError::kSuffix},
    {"exponent-of-binary-suffix", "1Ei3", QuantityError::kSuffix},
    {"fractional-exponent", "1e1.5", QuantityError::kFormatWrong},
    {"large-binary-suffix-alone", "Ei", QuantityError::kNumeric},
    {"dot-with-tiny-exponent", ".e-10", QuantityError::kNumeric},
    {"nan", "nan", QuantityError::kFormatWrong},
    {"infinity", "inf", QuantityError::kFormatWrong},
    {"not-ascii", "1\u00b5", QuantityError::kFormatWrong},
    {"underscore", "1_000", QuantityError::kFormatWrong},
    {"percent", "50%", QuantityError::kFormatWrong},
};

struct PairCase {
  const char* name;
  const char* a;
  const char* b;
  int order;
  const char* sum;
  const char* difference;
};

const PairCase kPairCases[] = {
    {"equal-in-other-units", "1", "1000m", 0, "2", "0"},
    {"binary-and-decimal", "1Ki", "1k", 1, "2024", "24"},
    {"zero-takes-format", "0", "5Gi", -1, "5Gi", "-5Gi"},
    {"zero-takes-format-of-exponent", "0", "1e3", -1, "1e3", "-1e3"},
    {"milli-and-nano", "100m", "1n", 1, "100000001n", "99999999n"},
    {"node-memory", "503Gi", "64Mi", 1, "515136Mi", "515008Mi"},
    {"opposite-signs", "-3", "5", -1, "2", "-8"},
    {"equal-amounts", "2500m", "2.5", 0, "5", "0"},
    {"sum-above-int64", "9223372036854775807", "1", 1, "9223372036854775808", "9223372036854775806"},
    {"binary-sum-above-int64", "7Ei", "7Ei", 0, "14Ei", "0"},
    {"long-decimals", "123456789012345678901234567890", "0.000000001", 1, "123456789012345678901234567890000000001n",
     "123456789012345678901234567889999999999n"},
    {"huge-exponents", "1e300", "-1e300", 1, "0", "2e300"},
    {"exponents-far-apart", "1e60", "1m", 1, "1000000000000000000000000000000000000000000000000000000000000001e-3",
     "999999999999999999999999999999999999999999999999999999999999999e-3"},
    {"smaller-negative", "-1.5Ki", "-1536", 0, "-3Ki", "0"},
    {"capped-and-more", "8Ei", "1", 1, "8Ei", "9223372036854775806"},
    {"kibi-of-fraction", "0.3Ki", "0.7Ki", -1, "1Ki", "-409600m"},
};

TEST_CASE("quantity-is-read-and-printed-as-kubernetes-does") {
  for (const ReadCase& c : kReadCases) {
    INFO(c.name << ": " << c.text);
    const Quantity read = quantity(c.text);
    CHECK(read.to_string() == c.printed);
    CHECK(read.format() == c.format);
    CHECK(read.value() == c.value);
    CHECK(read.milli_value() == c.milli_value);
    CHECK(read.sign() == c.sign);
  }
}

TEST_CASE("quantity-is-refused-as-kubernetes-does") {
  for (const RefusedCase& c : kRefusedCases) {
    INFO(c.name << ": " << c.text);
    const auto read = try_parse_quantity(c.text);
    REQUIRE_FALSE(read);
    CHECK(read.error() == c.error);
  }
}

TEST_CASE("quantities-are-compared-added-and-subtracted-exactly") {
  for (const PairCase& c : kPairCases) {
    INFO(c.name << ": " << c.a << " and " << c.b);
    const Quantity a = quantity(c.a);
    const Quantity b = quantity(c.b);
    CHECK(a.compare(b) == c.order);
    CHECK(b.compare(a) == -c.order);
    CHECK((a == b) == (c.order == 0));
    CHECK((a < b) == (c.order < 0));
    Quantity sum = a;
    sum.add(b);
    CHECK(sum.to_string() == c.sum);
    Quantity difference = a;
    difference.sub(b);
    CHECK(difference.to_string() == c.difference);
  }
}

TEST_CASE("quantity-error-has-the-text-of-kubernetes") {
  CHECK(kubernetes_text(QuantityError::kFormatWrong) ==
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  CHECK(kubernetes_text(QuantityError::kNumeric) == "unable to parse numeric part of quantity");
  CHECK(kubernetes_text(QuantityError::kSuffix) == "unable to parse quantity's suffix");
}

TEST_CASE("quantity-diagnostic-names-the-text-and-what-is-allowed") {
  const auto read = parse_quantity("80 GB\n");
  REQUIRE_FALSE(read);
  REQUIRE(read.error().size() == 1);
  CHECK(read.error()[0].code == "quantity-syntax");
  CHECK(read.error()[0].message ==
        "quantity \"80 GB\\n\" is not a number with a suffix; allowed is a decimal number and one suffix of "
        "n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent like e3");
  CHECK(read.error()[0].hint == "remove the white space");
  CHECK(parse_quantity("80GB").error()[0].hint.empty());
  CHECK(parse_quantity("80Gi").value().value() == 85899345920);
}

TEST_CASE("quantity-from-numbers") {
  CHECK(Quantity{}.to_string() == "0");
  CHECK(Quantity::from_int64(1536).to_string() == "1536");
  CHECK(Quantity::from_int64(1536, QuantityFormat::kBinarySi).to_string() == "1536");
  CHECK(Quantity::from_int64(2048, QuantityFormat::kBinarySi).to_string() == "2Ki");
  CHECK(Quantity::from_int64(1'000'000, QuantityFormat::kDecimalExponent).to_string() == "1e6");
  CHECK(Quantity::from_milli(1500).to_string() == "1500m");
  CHECK(Quantity::from_milli(1500, QuantityFormat::kBinarySi).to_string() == "1500m");
  CHECK(Quantity::from_milli(2'048'000, QuantityFormat::kBinarySi).to_string() == "2Ki");
  CHECK(Quantity::from_scaled(5, 30).to_string() == "5");  // Kubernetes has no suffix beyond E
  CHECK(Quantity::from_scaled(5, 30, QuantityFormat::kDecimalExponent).to_string() == "5e30");
  CHECK(Quantity::from_int64(kMinInt64, QuantityFormat::kBinarySi).to_string() == "-9223372036854775808");
  CHECK(Quantity::from_int64(kMaxInt64).value() == kMaxInt64);
}

TEST_CASE("quantity-subtracting-the-smallest-int64-adds-it") {
  Quantity zero;
  zero.sub(Quantity::from_int64(kMinInt64));
  CHECK(zero.value() == kMinInt64);
}

TEST_CASE("quantity-whole-numbers") {
  CHECK(quantity("1000m").is_integer());
  CHECK_FALSE(quantity("1001m").is_integer());
  CHECK(quantity("1.5Gi").is_integer());
  CHECK_FALSE(quantity("1.0001Ki").is_integer());
  CHECK(quantity("1e300").is_integer());
  CHECK(quantity("4k").as_int64() == 4000);
  CHECK_FALSE(quantity("1000m").as_int64());
  CHECK_FALSE(quantity("10E").as_int64());
  CHECK_FALSE(quantity("1.5Gi").as_int64());
}

TEST_CASE("quantity-scaled-values") {
  CHECK(quantity("1500m").scaled_value(-9) == 1'500'000'000);
  CHECK(quantity("1Gi").scaled_value(6) == 1074);
  CHECK(quantity("-1Gi").scaled_value(6) == -1074);
  CHECK(quantity("1.5Gi").scaled_value(3) == 1'610'613);
  CHECK(quantity("0").scaled_value(18) == 0);
}

TEST_CASE("quantity-rounds-up-to-a-scale") {
  Quantity cpu = quantity("100100u");
  CHECK_FALSE(cpu.round_up(-3));
  CHECK(cpu.to_string() == "101m");
  Quantity negative = quantity("-100100u");
  CHECK_FALSE(negative.round_up(-3));
  CHECK(negative.to_string() == "-101m");
  Quantity exact = quantity("+5");
  CHECK(exact.round_up(-3));
  CHECK(exact.to_string() == "+5");
  Quantity memory = quantity("1.0001Ki");
  CHECK_FALSE(memory.round_up(0));
  CHECK(memory.to_string() == "1025");
}

TEST_CASE("quantity-as-approximate-double") {
  CHECK(quantity("1500m").as_approximate_double() == 1.5);
  CHECK(quantity("0.1").as_approximate_double() == 0.1);
  CHECK(quantity("1.5Gi").as_approximate_double() == 1610612736.0);
  CHECK(quantity("1e2147483647").as_approximate_double() == std::numeric_limits<double>::infinity());
  // One step off the nearest double, as in Kubernetes.
  CHECK(quantity("-123456789012345678901234567890").as_approximate_double() == -123456789012345695469905641472.0);
}

TEST_CASE("quantity-forgets-its-text-when-it-changes") {
  Quantity sum = quantity("007");
  sum.add(Quantity::from_int64(0));
  CHECK(sum.to_string() == "7");
  const Quantity copy = quantity("007");
  CHECK(copy.to_string() == "007");
}

TEST_CASE("quantity-with-huge-exponents-stays-cheap") {
  const Quantity huge = quantity("1e2000000000");
  CHECK(huge.compare(quantity("1e1999999999")) == 1);
  CHECK(huge.compare(quantity("12345678901234567890123")) == 1);
  Quantity sum = huge;
  sum.add(quantity("1m"));
  CHECK(sum.compare(huge) == 0);
  sum.sub(huge);
  CHECK(sum.is_zero());
  Quantity binary = quantity("1Ki");
  binary.add(huge);
  CHECK(binary.to_string() == "100");  // as every decimal suffix beyond E
}

}  // namespace
}  // namespace gpusched

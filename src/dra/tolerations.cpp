#include "dra/tolerations.hpp"

#include <algorithm>

namespace gpusched::dra {

namespace {

using objects::DeviceTaint;
using objects::DeviceToleration;

bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

}  // namespace

const DeviceTaint* untolerated(std::span<const DeviceTaint> taints, std::span<const DeviceToleration> tolerations) {
  for (const DeviceTaint& taint : taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    if (std::ranges::none_of(tolerations, [&](const DeviceToleration& t) { return tolerates(t, taint); })) {
      return &taint;
    }
  }
  return nullptr;
}

}  // namespace gpusched::dra

#include <fmt/format.h>

#include "explain/findings.hpp"

namespace gpusched::explain {

namespace {

/// What is known of a claim that is bound to no volume.
std::string unbound_text(const kubescheduler::Snapshot& snapshot, const objects::PersistentVolumeClaim& claim) {
  const std::string start =
      fmt::format("PersistentVolumeClaim {}/{} is bound to no volume", claim.meta.namespace_name, claim.meta.name);
  const std::string name = claim.storage_class_name.value_or("");
  if (name.empty()) {
    return start + " and names no StorageClass: a PersistentVolume has to be made for it by hand";
  }
  if (snapshot.find_storage_class(name) == nullptr) {
    return fmt::format("{}: its StorageClass {} does not exist in the input", start, name);
  }
  return fmt::format("{}: the provisioner of its StorageClass {} has not made one yet", start, name);
}

}  // namespace

void find_volumes(const Question& question, std::vector<Finding>& findings) {
  const std::string& name_space = question.pod.meta.namespace_name;
  for (const objects::Volume& volume : question.pod.spec->volumes) {
    if (!volume.persistent_volume_claim) {
      continue;
    }
    const std::string& name = volume.persistent_volume_claim->claim_name;
    const objects::PersistentVolumeClaim* const claim = question.snapshot.find_volume_claim(name_space, name);
    if (claim == nullptr) {
      findings.push_back(
          {"volume", "", fmt::format("PersistentVolumeClaim {}/{} does not exist in the input", name_space, name)});
    } else if (claim->volume_name.empty()) {
      findings.push_back({"volume", "", unbound_text(question.snapshot, *claim)});
    }
  }
}

}  // namespace gpusched::explain

#include "cel/heap.hpp"

#include <algorithm>

namespace gpusched::cel {

void Heap::grow(std::size_t count) {
  const std::size_t size = blocks_.empty() && count <= kBlock ? kBlock : std::max(count, kBlock * 4);
  if (blocks_.empty() && size != kBlock) blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlock));
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  next_ = blocks_.back().get();
  end_ = next_ + size;
}

}  // namespace gpusched::cel

#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace gpusched {

/// A value that its copies share until one of them is edited: for what thousands of objects have in common.
/// Reading from several threads is safe, as with a plain value.
template <class T>
class Shared {
 public:
  Shared() : value_(none()) {}
  /// Not from braces, which a container could take for something else.
  template <std::same_as<T> U>
  Shared(U value) : value_(std::make_shared<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor): a value

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }  // NOLINT(google-explicit-constructor): reads as the value it is

  auto begin() const
    requires requires(const T& value) { value.begin(); }
  {
    return value_->begin();
  }
  auto end() const
    requires requires(const T& value) { value.end(); }
  {
    return value_->end();
  }

  /// The value to change, a copy of its own if others have it too. Other handles keep what they had.
  T& edit() {
    if (value_.use_count() != 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

  bool operator==(const Shared& other) const { return value_ == other.value_ || *value_ == *other.value_; }

 private:
  static const std::shared_ptr<T>& none() {
    static const std::shared_ptr<T> value = std::make_shared<T>();
    return value;
  }

  std::shared_ptr<T> value_;
};

}  // namespace gpusched

#include "cli/write_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as Linux follows
constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

// What a signal handler has to remove; it may touch nothing else.
std::array<char, 4096> unfinished_path{};
volatile std::sig_atomic_t unfinished = 0;
int interrupted_exit_code = 0;

extern "C" void on_ending_signal(int signal) {
  remove_unfinished();
  if (signal == SIGINT) {
    _exit(interrupted_exit_code);
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Holds the ending signals back while a file and what the handler knows of it disagree.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kEndingSignals) {
      sigaddset(&held, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

/// Where a path leads: an open descriptor of this process, or the path behind all links (which may not exist yet).
struct Target {
  int descriptor = -1;
  fs::path path;
};

Target resolve(const std::string& path) {
  Target target{-1, path};
  const fs::path own_descriptors = fmt::format("/proc/{}/fd", getpid());
  for (int links = 0; links < kMaxLinks; ++links) {
    std::error_code error;
    const fs::path folder = fs::canonical(target.path.has_parent_path() ? target.path.parent_path() : ".", error);
    if (error) {
      return target;
    }
    const std::string name = target.path.filename();
    if (folder == own_descriptors) {
      int number = -1;
      std::from_chars(name.data(), name.data() + name.size(), number);
      return {number, target.path};
    }
    const fs::path link = fs::read_symlink(target.path, error);
    if (error) {
      target.path = folder / name;
      return target;
    }
    target.path = link.is_absolute() ? link : folder / link;
  }
  return target;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return errno == EPIPE;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_in_place(const fs::path& path, std::string_view text) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    return false;
  }
  const bool written = write_all(descriptor, text);
  const int why = errno;
  const bool closed = close(descriptor) == 0;
  errno = written ? errno : why;
  return written && closed;
}

/// The file beside the target, to be renamed to it; it is gone when this ends before that.
class UnfinishedFile {
 public:
  UnfinishedFile(const fs::path& target, mode_t mode) : path_(fmt::format("{}.{}.tmp", target.string(), getpid())) {
    const HeldSignals held;
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ >= 0 && path_.size() < unfinished_path.size()) {
      path_.copy(unfinished_path.data(), path_.size());
      unfinished_path[path_.size()] = '\0';
      unfinished = 1;
    }
  }
  ~UnfinishedFile() {
    const int why = errno;
    if (descriptor_ >= 0) {
      const HeldSignals held;
      close(descriptor_);
      unlink(path_.c_str());
      unfinished = 0;
    }
    errno = why;
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// `mode`: that of the file that is replaced, 0 when there is none.
  [[nodiscard]] bool write_and_rename(std::string_view text, mode_t mode, const fs::path& target) {
    if (!write_all(descriptor_, text) || (mode != 0 && fchmod(descriptor_, mode) != 0)) {
      return false;
    }
    const HeldSignals held;
    const bool closed = close(descriptor_) == 0;
    descriptor_ = -1;
    unfinished = 0;
    if (closed && std::rename(path_.c_str(), target.c_str()) == 0) {
      return true;
    }
    const int why = errno;
    unlink(path_.c_str());
    errno = why;
    return false;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// The standard stream that is this very file, -1 when none is: replacing it would lose what that stream writes.
int stream_into(const struct stat& file) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream{};
    if (fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino) {
      return descriptor;
    }
  }
  return -1;
}

bool replace(const fs::path& path, std::string_view text) {
  struct stat now{};
  const bool exists = lstat(path.c_str(), &now) == 0;
  if (exists && !S_ISREG(now.st_mode)) {
    return write_in_place(path, text);
  }
  if (const int stream = exists ? stream_into(now) : -1; stream >= 0) {
    return write_all(stream, text);
  }
  if (exists && access(path.c_str(), W_OK) != 0) {
    return false;
  }
  UnfinishedFile file(path, exists ? 0600 : 0666);
  if (!file.is_open()) {
    return exists && write_in_place(path, text);
  }
  return file.write_and_rename(text, now.st_mode & 0777U, path);
}

}  // namespace

Result<bool> write_target(const std::string& path, std::string_view text) {
  const Target target = resolve(path);
  errno = 0;
  if (target.descriptor >= 0 ? write_all(target.descriptor, text) : replace(target.path, text)) {
    return true;
  }
  return fail("write-failed", fmt::format("cannot write {}: {}", quote(path, 200), std::strerror(errno)));
}

bool same_target(const std::string& a, const std::string& b) {
  const Target one = resolve(a);
  const Target other = resolve(b);
  return one.descriptor == other.descriptor && (one.descriptor >= 0 || one.path == other.path);
}

void remove_unfinished() {
  if (unfinished != 0) {
    unlink(unfinished_path.data());
  }
}

void remove_unfinished_on_signals(int interrupted) {
  interrupted_exit_code = interrupted;
  for (const int signal : kEndingSignals) {
    if (std::signal(signal, &on_ending_signal) == SIG_IGN) {
      std::signal(signal, SIG_IGN);
    }
  }
}

}  // namespace gpusched::cli

#include "cli/question_runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>

#include "cli/run_words.hpp"
#include "gpusched/base/text.hpp"

extern "C" char** environ;

namespace gpusched::cli {

namespace {

constexpr int kNotStarted = 125;  // no exit code of ours

/// A file without a name, gone when it is closed.
class ScratchFile {
 public:
  ScratchFile() : file_(std::tmpfile(), &std::fclose) {}
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }

  [[nodiscard]] std::string read() const {
    std::string text;
    std::array<char, 65536> buffer{};
    std::rewind(file_.get());
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), file_.get())) {
      text.append(buffer.data(), size);
    }
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

struct Child {
  std::size_t run = 0;
  ScratchFile output, errors, document;
};

void forget_environment() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("GPUSCHED_")) {
      names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const std::string& name : names) {
    unsetenv(name.c_str());
  }
}

/// Says on the question's standard error why it cannot start.
[[noreturn]] void give_up(std::string_view what, const std::string& name) {
  std::fputs(fmt::format("{} {}: {}\n", what, quote(name, 200), std::strerror(errno)).c_str(), stderr);
  std::fflush(stderr);
  _exit(kNotStarted);
}

[[noreturn]] void run_in_child(const QuestionRun& run, const Child& child) {
  dup2(child.output.descriptor(), STDOUT_FILENO);
  dup2(child.errors.descriptor(), STDERR_FILENO);
  if (!run.folder.empty() && chdir(run.folder.c_str()) != 0) {
    give_up("cannot enter", run.folder);
  }
  const std::string input = run.input.empty() ? "/dev/null" : run.input;
  const int opened = open(input.c_str(), O_RDONLY);
  if (opened < 0 || dup2(opened, STDIN_FILENO) < 0) {
    give_up("cannot open", input);
  }
  std::clearerr(stdin);  // a suite from standard input has left it at its end
  std::cin.clear();
  forget_environment();
  Terminal terminal;
  terminal.keep_answers_in(child.document.descriptor());
  const int code = run_words(run.words, terminal);
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(code);  // nothing of the parent's is to be flushed or removed twice
}

QuestionOutcome outcome_of(const Child& child, int status) {
  QuestionOutcome outcome{.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                          .output = child.output.read(),
                          .errors = child.errors.read(),
                          .document = child.document.read(),
                          .broken = {}};
  if (WIFSIGNALED(status)) {
    outcome.broken = fmt::format("ended by signal {}", WTERMSIG(status));
  } else if (outcome.exit == kNotStarted) {
    outcome.broken = outcome.errors.substr(0, outcome.errors.find('\n'));
  }
  return outcome;
}

}  // namespace

std::vector<QuestionOutcome> run_questions(std::span<const QuestionRun> runs, std::size_t jobs) {
  std::vector<QuestionOutcome> outcomes(runs.size());
  std::map<pid_t, Child> children;
  std::fflush(nullptr);  // or each child would write what is still in our buffers
  for (std::size_t next = 0; next < runs.size() || !children.empty();) {
    if (next < runs.size() && children.size() < jobs) {
      Child child{.run = next, .output = {}, .errors = {}, .document = {}};
      const bool ready = child.output.is_open() && child.errors.is_open() && child.document.is_open();
      const pid_t process = ready ? fork() : -1;
      if (process == 0) {
        run_in_child(runs[next], child);
      }
      if (process < 0) {
        outcomes[next].broken = fmt::format("cannot start: {}", std::strerror(errno));
      } else {
        children.emplace(process, std::move(child));
      }
      ++next;
      continue;
    }
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    if (const auto child = children.find(process); child != children.end()) {
      outcomes[child->second.run] = outcome_of(child->second, status);
      children.erase(child);
    } else if (process < 0 && errno != EINTR) {
      break;  // nobody is left to wait for
    }
  }
  return outcomes;
}

}  // namespace gpusched::cli

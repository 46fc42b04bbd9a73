#include "render/equal_answers.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace gpusched::render {

using Json = nlohmann::ordered_json;

std::vector<EqualAnswers> equal_answers(const Json& items) {
  std::vector<EqualAnswers> answers;
  std::map<std::string, std::size_t> places;
  for (const Json& report : items) {
    Json answer = report;
    answer.erase("pod");
    const auto [place, is_new] =
        places.try_emplace(answer.dump(-1, ' ', false, Json::error_handler_t::replace), answers.size());
    if (is_new) {
      answers.push_back({&report, {}});
    }
    const Json& pod = report.at("pod");
    answers[place->second].pods.push_back(pod.at("namespace").get<std::string>() + "/" +
                                          pod.at("name").get<std::string>());
  }
  return answers;
}

}  // namespace gpusched::render
